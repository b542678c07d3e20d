import FerryProtocols
import HTTPTypes
import Synchronization

/// The knowledge of the server, which grows while an attempt runs.
final class ServerRecognition: Sendable {
    private let server: Mutex<UploadAttempt.Server>
    private let learn: @Sendable (String?) -> Void

    /// - Parameter learn: Keeps what the server names as its software, for later attempts.
    init(_ server: UploadAttempt.Server, learn: @escaping @Sendable (String?) -> Void) {
        self.server = Mutex(server)
        self.learn = learn
    }

    var now: UploadAttempt.Server { server.withLock { $0 } }

    /// An answer that is taken for the server's. A success makes the server known, but for a page for people: where a
    /// server has never been reached, that may be anybody's.
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
