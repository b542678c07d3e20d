import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests how the runner records abandoned uploads and deletes their bytes at servers.
struct RunnerAbandonedTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private let state: TemporaryState

    init() throws { state = try TemporaryState() }

    private func with(
        _ destinations: [Destination], _ body: (DestinationRunner) async throws -> Void
    ) async throws {
        let runner = DestinationRunner(
            destinations: destinations, abandoned: AbandonedUploads(folder: LocalPath(state.path)),
            proxy: .none, rateLimit: RateLimit(), now: { Self.now })
        do { try await body(runner) } catch {
            await runner.shutdown()
            throw error
        }
        await runner.shutdown()
    }

    private func place(_ url: String, _ protocolName: String = "tus", name: String = "d") -> Destination {
        Destination(name: name, url: url, protocolName: protocolName, proxy: .none)
    }

    private func upload(_ id: Upload.ID = 1, to destination: Destination) -> Upload {
        var upload = Upload.make(id, state: .paused(.user))
        upload.target = destination.target(name: "film")
        upload.resource = UploadResource(url: destination.url + "\(id)", confirmed: 7)
        return upload
    }

    @Test(arguments: [(204, false), (410, false), (403, true), (500, true)])
    func `data that a server does not delete is listed as left there`(status: Int, isLeft: Bool) async throws
    {
        let server = try HostileServer([.answer(status)])
        defer { server.stop() }
        let destination = place(server.url("/files/"))
        let upload = upload(to: destination)
        try await with([destination]) { runner in
            runner.abandon([upload], since: Self.now)
            await runner.discard(upload)
            let left = await runner.abandoned(at: destination)
            #expect(left.map(\.stored) == (isLeft ? [7] : []))
        }
        #expect(server.requests.map(\.method) == ["DELETE"])
    }

    @Test func `leftover data can be deleted by another process, and a refusal is reported`() async throws {
        let server = try HostileServer([.answer(403), .answer(204)])
        defer { server.stop() }
        let destination = place(server.url("/files/"))
        try await with([destination]) { $0.abandon([upload(to: destination)], since: Self.now) }
        try await with([destination]) { runner in
            let entry = try #require(await runner.abandoned(at: destination).first)
            let failure = await #expect(throws: UploadFailure.self) { try await runner.remove(entry) }
            #expect(failure?.status == 403)
            #expect(await runner.abandoned(at: destination).count == 1)
            try await runner.remove(entry)
            #expect(await runner.abandoned(at: destination).isEmpty)
        }
    }

    @Test func `a leftover that undo can still reclaim is listed with the end of that time`() async throws {
        let destination = place("http://127.0.0.1:9/files/")
        try await with([destination]) { runner in
            let end = Self.now.addingTimeInterval(1)
            runner.abandon([upload(to: destination)], since: end)
            #expect(await runner.abandoned(at: destination).map(\.since) == [end])
            runner.reclaim([upload(to: destination)])
            #expect(await runner.abandoned(at: destination).isEmpty)
        }
    }

    @Test func `credentials go nowhere else than the configuration sends them now`() async throws {
        let before = place("http://other.example/files/")
        let destination = place("http://127.0.0.1:9/files/")
        try await with([destination]) { runner in
            runner.abandon([upload(to: before)], since: Self.now)
            #expect(await runner.abandoned(at: destination).isEmpty)
        }
        try await with([before]) { runner in #expect(await runner.abandoned(at: before).count == 1) }
    }

    @Test func `addresses of abandoned uploads are listed, each once`() async throws {
        let (first, second) = (place("http://a.example/f/", name: ""), place("http://b.example/f/", name: ""))
        try await with([]) { runner in
            runner.abandon([upload(to: first), upload(2, to: first), upload(3, to: second)], since: Self.now)
            let places = await runner.abandonedAddresses()
            #expect(places.map(\.url) == [first.url, second.url])
            #expect(places.map(\.protocolName) == ["tus", "tus"])
            #expect(await runner.abandoned(at: places[0]).map(\.upload.id) == [1, 2])
        }
    }

    @Test(arguments: ["put", "azure"])
    func `a protocol that has nothing to delete leaves no entry`(name: String) async throws {
        let destination = place("http://127.0.0.1:9/files/", name)
        try await with([destination]) { runner in
            runner.abandon([upload(to: destination)], since: Self.now)
            #expect(await runner.abandoned(at: destination).isEmpty)
        }
    }
}
