import FerryProtocols
import FerryTestSupport
import Foundation
import Synchronization
import Testing

@testable import FerryTransfer
@testable import FerryUploads

/// Tests the capabilities that the runner stores, and the uploads that it refuses because of them without a request.
struct RunnerCapabilityTests {
    private let directory: TemporaryDirectory
    private let store = CapabilityMemory()

    init() throws { directory = try TemporaryDirectory() }

    private func upload(_ id: Upload.ID = 1, to destination: Destination) throws -> Upload {
        let path = LocalPath(try directory.write(Array("hello".utf8), to: "f\(id)"))
        return Upload(
            id: id, rank: 1, path: path, identity: try SourceFile(path).identity,
            target: destination.target(name: "f\(id)"), added: Date(timeIntervalSince1970: 0))
    }

    private func with<Result>(
        _ destination: Destination, now: @escaping @Sendable () -> Date = { Date() },
        _ body: (DestinationRunner) async throws -> Result
    ) async throws -> Result {
        let runner = DestinationRunner(
            destinations: [destination], capabilities: store, proxy: .none, rateLimit: RateLimit(), now: now)
        do {
            let result = try await body(runner)
            await runner.shutdown()
            return result
        } catch {
            await runner.shutdown()
            throw error
        }
    }

    private func place(
        _ url: String, _ protocolName: String = "auto", _ options: ProtocolOptions = .init()
    ) -> Destination {
        Destination(name: "d", url: url, protocolName: protocolName, options: options, proxy: .none)
    }

    @Test func `P17 a server is asked once, and again a day later`() async throws {
        let server = try HostileServer([
            .answer(404), .answer(201), .answer(201), .answer(404), .answer(201),
        ])
        defer { server.stop() }
        let destination = place(server.url("/in/"))
        let days = Mutex(0.0)
        let now: @Sendable () -> Date = { Date(timeIntervalSince1970: days.withLock { $0 } * 86_400) }
        try await with(destination, now: now) { runner in
            for (id, day) in [(1, 0.0), (2, 0.9), (3, 1.1)] {
                days.withLock { $0 = day }
                let outcome = await runner.run(try upload(id, to: destination), recorder: NoRecorder()).value
                guard case .done(let receipt) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(receipt.chosen == "put")
            }
        }
        #expect(server.requests.map(\.method) == ["OPTIONS", "PUT", "PUT", "OPTIONS", "PUT"])
        #expect(
            store.capabilities(of: CapabilityKey(destination))?.asked == Date(timeIntervalSince1970: 95_040)
        )
    }

    @Test(arguments: [(TLSSettings(), 1), (TLSSettings(insecureHosts: ["other.example"]), 2)])
    func `P15 destinations share connections only where they are reached alike`(tls: TLSSettings, count: Int)
        async throws
    {
        let server = try HostileServer([.answer(201), .answer(201)])
        defer { server.stop() }
        let first = Destination(name: "a", url: server.url("/a/"), protocolName: "put", proxy: .none)
        let second = Destination(
            name: "b", url: server.url("/b/"), protocolName: "put", tls: tls, proxy: .none)
        let runner = DestinationRunner(
            destinations: [first, second], capabilities: store, proxy: .none, rateLimit: RateLimit())
        for (id, destination) in [(1, first), (2, second)] {
            let outcome = await runner.run(try upload(id, to: destination), recorder: NoRecorder()).value
            guard case .done = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
        await runner.shutdown()
        #expect(server.connectionCount == count)
    }

    @Test func `whether auto resumes is what the chosen protocol does`() async throws {
        let destination = place("http://h.example/in/")
        var upload = try upload(to: destination)
        try await with(destination) { runner in
            #expect(!runner.resumes(upload))
            store.keep(
                KnownSecrets().redact(ServerCapabilities(facts: ["protocol": "tus"])),
                of: CapabilityKey(destination))
            #expect(runner.resumes(upload))
            upload.resource = UploadResource(url: "x", memory: ["protocol": "put"])
            #expect(!runner.resumes(upload))
        }
    }

    @Test(arguments: [
        ProtocolOptions(parallelRequests: 2), ProtocolOptions(checksum: .sha256),
        ProtocolOptions(existing: .skip),
    ])
    func `an option that the protocol lacks is refused before anything is sent`(options: ProtocolOptions)
        async throws
    {
        let server = try HostileServer([])
        defer { server.stop() }
        let destination = place(server.url("/in/"), "form", options)
        try await with(destination) { runner in
            let outcome = await runner.run(try upload(to: destination), recorder: NoRecorder()).value
            guard case .failed(let failure) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failure.category == .permanent)
            #expect(failure.hint != nil)
        }
        #expect(server.connectionCount == 0)
    }

    @Test func `a check asks, keeps what it finds and leaves nothing`() async throws {
        let tus = HostileBehavior.answer(
            204, headers: [("Tus-Version", "1.0.0"), ("Tus-Extension", "creation,termination")])
        let made = HostileBehavior.answer(201, headers: [("Location", "/files/7")])
        let server = try HostileServer([tus, tus, made, .answer(204)])
        defer { server.stop() }
        let destination = place(server.url("/files/"))
        let report = try await with(destination) { runner in
            let report = try await runner.check(destination).value
            #expect(runner.known(of: destination)?.choice?.name == "tus")
            #expect(runner.known(of: destination)?.asked != nil)
            return report
        }
        #expect(report.capabilities?.choice?.name == "tus")
        #expect(server.requests.map(\.method) == ["OPTIONS", "OPTIONS", "POST", "DELETE"])
        #expect(server.requests.last?.target == "/files/7")
    }

    @Test(arguments: ["put", "auto"])
    func `a check of a server that wants credentials says so`(protocolName: String) async throws {
        let server = try HostileServer([.answer(401)])
        defer { server.stop() }
        let destination = place(server.url("/in/"), protocolName)
        try await with(destination) { runner in
            let failure = await #expect(throws: UploadFailure.self) { try await runner.check(destination) }
            #expect(failure?.category == .authentication)
        }
    }

    @Test(arguments: [(204, true), (404, true), (403, false)])
    func `a leftover is removed by the protocol that made it, and a refusal is reported`(
        status: Int, isGone: Bool
    ) async throws {
        let server = try HostileServer([.answer(status)])
        defer { server.stop() }
        let destination = place(server.url("/files/"))
        let resource = UploadResource(url: server.url("/files/7"), memory: ["protocol": "tus"])
        try await with(destination) { runner in
            do throws(UploadFailure) {
                try await runner.remove(.init(name: "a", resource: resource), at: destination)
                #expect(isGone)
            } catch {
                #expect(!isGone)
                #expect(error.status == status)
            }
        }
        #expect(server.requests.map(\.method) == ["DELETE"])
    }
}

private struct NoRecorder: AttemptRecorder {
    func record(_ resource: Redacted<UploadResource>?, durably: Bool) async throws(UploadFailure) {}
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
}
