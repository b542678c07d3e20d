import FerryProtocols
import HTTPTypes
import Synchronization

/// The knowledge about the server, which grows while an attempt runs.
final class ServerRecognition: Sendable {
    private let server: Mutex<UploadAttempt.Server>
    private let learn: @Sendable (String?) -> Void

    /// - Parameter learn: Stores the name of the server's software for later attempts.
    init(_ server: UploadAttempt.Server, learn: @escaping @Sendable (String?) -> Void) {
        self.server = Mutex(server)
        self.learn = learn
    }

    var now: UploadAttempt.Server { server.withLock { $0 } }

    /// Records a response that counts as the server's. A success makes the server known unless its body is HTML: before
    /// the first contact, a captive portal may have sent it.
    func accept(_ answer: ExchangeOutcome.Response) {
        guard (200..<300).contains(answer.status), !CaptivePortal.isPage(answer) else { return }
        let software = answer.fields[.server]
        let isNew = server.withLock { server in
            let before = server
            server.isKnown = true
            server.software = (server.software ?? []).union(software.map { [$0] } ?? [])
            return server != before
        }
        if isNew { learn(software) }
    }
}
