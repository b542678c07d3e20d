import FerryProtocols
import FerryTestSupport
import Foundation
import Testing

@testable import FerryTransfer
@testable import FerryUploads

/// Secrets of a tus destination that its server repeats.
struct RunnerSecretTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func outcome(
        at server: HostileServer, query: String, resource path: String
    ) async throws -> UploadAttempt.Outcome {
        let destination = Destination(
            name: "d", url: server.url("/in/?\(query)"), protocolName: "tus", proxy: .none)
        let file = LocalPath(try directory.write(Array("hello".utf8), to: "f"))
        let upload = Upload(
            id: 1, rank: 1, path: file, identity: try SourceFile(file).identity,
            target: destination.target(name: "f"), resource: UploadResource(url: server.url(path)),
            added: Date(timeIntervalSince1970: 0))
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
            at: server, query: "token=canary-query-1f&to=canary-folder-of-mine", resource: "/in/7")
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.summary.contains("… was revoked, … is closed"), "\(failure)")
        #expect(server.requests.map(\.target) == ["/in/7", "/in/7"])
    }
}

private struct SilentRecorder: AttemptRecorder {
    func record(_ resource: UploadResource?, durably: Bool) async throws(UploadFailure) {}
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
}
