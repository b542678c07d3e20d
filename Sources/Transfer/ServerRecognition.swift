import FerryProtocols
import HTTPTypes
import Synchronization

/// The facts about the server that an attempt has learned. Each response can add some.
final class ServerRecognition: Sendable {
    private let server: Mutex<UploadAttempt.Server>
    private let learn: @Sendable (String?) -> Void

    /// - Parameter learn: Stores the value of the header field `Server` for later attempts. The value is nil if the
    ///   response has no such field. Called only if a response shows something new about the server.
    init(_ server: UploadAttempt.Server, learn: @escaping @Sendable (String?) -> Void) {
        self.server = Mutex(server)
        self.learn = learn
    }

    var now: UploadAttempt.Server { server.withLock { $0 } }

    /// Learns from a response of the server. A success (2xx) that is not an HTML page marks the server as known, and
    /// adds the value of its field `Server` to `software`. Any other response adds nothing. An HTML page is ignored,
    /// because a captive portal possibly sent it.
    func accept(_ response: ExchangeOutcome.Response) {
        guard (200..<300).contains(response.status), !CaptivePortal.isPage(response) else { return }
        acceptProven(response)
    }

    /// Learns from a response with any status that cannot come from a captive portal.
    func acceptProven(_ response: ExchangeOutcome.Response) {
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
