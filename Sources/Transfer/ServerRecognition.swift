import FerryProtocols
import HTTPTypes
import Synchronization

/// The facts about a server that an upload attempt learns from responses, to recognize a captive portal in its place.
final class ServerRecognition: Sendable {
    struct Refusal: Sendable {
        var exchange: Exchange
        var status: Int
    }

    private struct State {
        var server: UploadAttempt.Server
        var refusal: Refusal?
    }

    private let state: Mutex<State>
    private let learn: @Sendable (String?) -> Void

    /// - Parameter learn: Stores the value of the header field `Server` for later attempts; nil if the response has
    ///   none. Called only if a response shows something new.
    init(_ server: UploadAttempt.Server, learn: @escaping @Sendable (String?) -> Void) {
        state = Mutex(State(server: server))
        self.learn = learn
    }

    var now: UploadAttempt.Server { state.withLock { $0.server } }

    /// The last response, if it is a refusal that a captive portal possibly sent; otherwise nil.
    var doubtfulRefusal: Refusal? { state.withLock { $0.refusal } }

    /// Learns from the response to `exchange`, and stores it for `doubtfulRefusal` if a captive portal possibly sent
    /// it.
    func accept(_ response: ExchangeOutcome.Response, to exchange: Exchange) {
        accept(response)
        let server = now
        let isDoubtful =
            (server.software ?? []).isEmpty
            && CaptivePortal(refusing: response, to: exchange.url, isKnown: server.isKnown) != nil
        let refusal = isDoubtful ? Refusal(exchange: exchange, status: response.status) : nil
        state.withLock { $0.refusal = refusal }
    }

    /// Learns from a success (2xx) that is not an HTML page: the server is known, and `software` gets the value of its
    /// field `Server`. A captive portal possibly sent an HTML page.
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
