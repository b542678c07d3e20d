import FerryProtocols
import HTTPTypes
import Synchronization

/// The facts about a server that an upload attempt learns from responses. They help to recognize a captive portal that
/// responds in place of the server.
final class ServerRecognition: Sendable {
    /// A refusal that a captive portal possibly sent in place of the server.
    struct Refusal: Sendable {
        var exchange: Exchange
        var status: Int
    }

    private struct State {
        var server: UploadAttempt.Server
        /// The last response, if it is a refusal that a captive portal possibly sent; otherwise nil.
        var refusal: Refusal?
    }

    private let state: Mutex<State>
    private let learn: @Sendable (String?) -> Void

    /// - Parameter learn: Stores the value of the header field `Server` for later attempts. The value is nil if the
    ///   response has no such field. Called only if a response shows something new about the server.
    init(_ server: UploadAttempt.Server, learn: @escaping @Sendable (String?) -> Void) {
        state = Mutex(State(server: server))
        self.learn = learn
    }

    var now: UploadAttempt.Server { state.withLock { $0.server } }

    /// The last response, if it is a refusal that a captive portal possibly sent; otherwise nil.
    var doubtfulRefusal: Refusal? { state.withLock { $0.refusal } }

    /// Learns from the response to `exchange` as `accept(_:)` does. Also stores the response for `doubtfulRefusal` if
    /// it is a refusal that a captive portal possibly sent.
    func accept(_ response: ExchangeOutcome.Response, to exchange: Exchange) {
        accept(response)
        let server = now
        let isDoubtful =
            (server.software ?? []).isEmpty
            && CaptivePortal(refusing: response, to: exchange.url, isKnown: server.isKnown) != nil
        let refusal = isDoubtful ? Refusal(exchange: exchange, status: response.status) : nil
        state.withLock { $0.refusal = refusal }
    }

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
        let isNew = state.withLock { state in
            let before = state.server
            state.server.isKnown = true
            state.server.software = (before.software ?? []).union(software.map { [$0] } ?? [])
            state.refusal = nil
            return state.server != before
        }
        if isNew { learn(software) }
    }
}
