import FerryProtocols
import FerryTestSupport
import Foundation
import Testing

@testable import FerryTransfer
@testable import FerryUploads

/// Uploads a small file to a server. A captive portal may respond in its place.
struct SignInStage {
    /// The response of a captive portal to every request.
    struct Portal: Sendable, CustomTestStringConvertible {
        var status: Int
        var location: String?
        var type: String?
        var body = ""

        var testDescription: String { "\(status) \(location ?? type ?? "")" }

        func answer(_ connection: HostileConnection, isHead: Bool) throws {
            var headers: [(String, String)] = []
            if let location { headers.append(("Location", location)) }
            if let type { headers.append(("Content-Type", type)) }
            try connection.answer(status, headers: headers, body: isHead ? "" : body, keepAlive: false)
        }
    }

    static let html = "<!DOCTYPE html><html><title>Welcome to the hotel</title></html>"
    private let directory: TemporaryDirectory
    let store = CapabilityMemory()

    init() throws { directory = try TemporaryDirectory() }

    private func upload(to destination: Destination, resource: UploadResource?) throws -> Upload {
        let path = LocalPath(try directory.write(Array("hello".utf8), to: "f"))
        return Upload(
            id: 1, rank: 1, path: path, identity: try SourceFile(path).identity,
            target: destination.target(name: "f"), resource: resource, added: Date(timeIntervalSince1970: 0))
    }

    /// Runs an attempt.
    ///
    /// - Parameters:
    ///   - software: The recorded name of the server's software, empty if the server has no such field; nil if the
    ///     server was never reached.
    ///   - path: The path of an upload resource with one confirmed byte; nil for a new upload.
    func outcome(
        at server: HostileServer, _ protocolName: String, software: String? = "box/1.0",
        resource path: String? = nil, now: @escaping @Sendable () -> Date = { Date() }, runs: Int = 1,
        uncertain: Int = 0, acceptsPage: Bool = false
    ) async throws -> UploadAttempt.Outcome {
        let destination = Destination(
            name: "d", url: server.url("/in/"), protocolName: protocolName, proxy: .none)
        let runner = DestinationRunner(
            destinations: [destination], capabilities: store, proxy: .none, rateLimit: RateLimit(), now: now)
        let resource = path.map {
            UploadResource(url: server.url($0), confirmed: 1, memory: ["interop": "8"])
        }
        var upload = try upload(to: destination, resource: resource)
        upload.tries.uncertain = uncertain
        upload.tries.acceptsPage = acceptsPage
        if let software {
            let name = KnownSecrets().redact(software: software.isEmpty ? nil : software)
            store.recognize(name, at: CapabilityKey(ofServer: upload.target), now: now())
        }
        var outcome = UploadAttempt.Outcome.cancelled
        for _ in 0..<runs { outcome = await runner.run(upload, recorder: SilentRecorder()).value }
        await runner.shutdown()
        return outcome
    }

    func portal(_ portal: Portal) throws -> HostileServer {
        try HostileServer { connection in
            while try connection.waitForRequest() {
                let head = try connection.readHead()
                try portal.answer(connection, isHead: head.method == "HEAD")
                connection.closeSending()
                _ = try? connection.readBody()
                connection.drain()
                connection.close()
                return
            }
        }
    }

    func failure(_ outcome: UploadAttempt.Outcome) -> UploadFailure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }
}

private struct SilentRecorder: AttemptRecorder {
    func record(_ resource: Redacted<UploadResource>?, durably: Bool) async throws(UploadFailure) {}
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
}
