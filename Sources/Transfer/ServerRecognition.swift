import FerryProtocols
import HTTPTypes
import Synchronization

/// The facts about the server that an attempt has learned. Each response may add some.
final class ServerRecognition: Sendable {
    private let server: Mutex<UploadAttempt.Server>
    private let learn: @Sendable (String?) -> Void

    /// - Parameter learn: Stores the name of the server's software for later attempts.
    init(_ server: UploadAttempt.Server, learn: @escaping @Sendable (String?) -> Void) {
        self.server = Mutex(server)
        self.learn = learn
    }

    var now: UploadAttempt.Server { server.withLock { $0 } }

    /// Records a response that counts as the server's own. A success (2xx) marks the server as known, unless the body
    /// is HTML, which a captive portal may have sent.
    func accept(_ response: ExchangeOutcome.Response) {
        guard (200..<300).contains(response.status), !CaptivePortal.isPage(response) else { return }
        let software = response.fields[.server]
        let isNew = server.withLock { server in
            let before = server
            server.isKnown = true
            server.software = (server.software ?? []).union(software.map { [$0] } ?? [])
            return server != before
        }
        if isNew { learn(software) }
    }
}
