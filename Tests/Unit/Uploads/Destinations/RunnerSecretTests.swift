import FerryProtocols
import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryTransfer
@testable import FerryUploads

/// Secrets of a tus destination that its server repeats.
struct RunnerSecretTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func outcome(
        at server: HostileServer, query: String = "", fields: HTTPFields = [:], resource path: String? = nil
    ) async throws -> UploadAttempt.Outcome {
        let destination = Destination(
            name: "d", url: server.url("/in/\(query)"), protocolName: "tus", fields: fields, proxy: .none)
        let file = LocalPath(try directory.write(Array("hello".utf8), to: "f"))
        let upload = Upload(
            id: 1, rank: 1, path: file, identity: try SourceFile(file).identity,
            target: destination.target(name: "holidays.mov"),
            resource: path.map { UploadResource(url: server.url($0)) }, added: Date(timeIntervalSince1970: 0))
        let runner = DestinationRunner(destinations: [destination], proxy: .none, rateLimit: RateLimit())
        let outcome = await runner.run(upload, recorder: SilentRecorder()).value
        await runner.shutdown()
        return outcome
    }

    @Test func `a query of the configuration is cut from a refusal of a resumed upload`() async throws {
        let tus = ("Tus-Resumable", "1.0.0")
        let server = try HostileServer([
            .answer(200, headers: [tus, ("Upload-Offset", "0"), ("Upload-Length", "5")]),
            .answer(
                403, headers: [tus, ("Content-Type", "text/plain")],
                body: "canary-query-1f was revoked, canary-folder-of-mine is closed"),
        ])
        defer { server.stop() }
        let outcome = try await outcome(
            at: server, query: "?token=canary-query-1f&to=canary-folder-of-mine", resource: "/in/7")
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.summary.contains("… was revoked, … is closed"), "\(failure)")
        #expect(server.requests.map(\.target) == ["/in/7", "/in/7"])
    }

    @Test func `an upload at an address with its name is done though a word of it is the password`()
        async throws
    {
        let tus = ("Tus-Resumable", "1.0.0")
        let server = try HostileServer([
            .answer(204, headers: [tus, ("Tus-Version", "1.0.0"), ("Tus-Extension", "creation")]),
            .answer(201, headers: [tus, ("Location", "/in/7-holidays.mov")]),
            .answer(204, headers: [tus, ("Upload-Offset", "5")]),
        ])
        defer { server.stop() }
        let pair = Data("me:holidays".utf8).base64EncodedString()
        let outcome = try await outcome(at: server, fields: [.authorization: "Basic \(pair)"])
        guard case .done = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }
}

private struct SilentRecorder: AttemptRecorder {
    func record(_ resource: Redacted<UploadResource>?, durably: Bool) async throws(UploadFailure) {}
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
}
