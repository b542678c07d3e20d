import FerryFiles
import FerryProtocols
import HTTPTypes

extension UploadAttempt {
    /// The facts about the server that should respond.
    public struct Server: Hashable, Sendable {
        /// True if the server itself has responded before, and not a captive portal in its place.
        public var isKnown: Bool
        /// True if a successful response of the upload's protocol may have an HTML body.
        public var respondsWithPages: Bool
        /// The values of the header field `Server` in the server's responses; empty if it sends none. nil until the
        /// server itself has responded.
        public var software: Set<String>?
        /// True if every response but a 511 counts as the server's own, even if it looks like a captive portal's
        /// response. The caller sets this if only such responses have come for a long time.
        public var isTakenAtWord: Bool

        public init(
            isKnown: Bool = false, respondsWithPages: Bool = true, software: Set<String>? = nil,
            isTakenAtWord: Bool = false
        ) {
            self.isKnown = isKnown
            self.respondsWithPages = respondsWithPages
            self.software = software
            self.isTakenAtWord = isTakenAtWord
        }
    }
}

// Distinguishes responses of the server from those of a captive portal or proxy that responds in its place.
extension UploadAttempt {
    /// Returns the outcome of a response. If a captive portal or proxy has responded in place of the server, or may
    /// have, the outcome is `broken`, since the server received nothing. The mark of an unknown outcome is then
    /// replaced by `known`.
    func reply(
        to exchange: Exchange, _ received: ExchangeOutcome.Response, _ marker: UnknownOutcomeMarker,
        known: UploadResource?
    ) async -> ExchangeOutcome {
        let isAboutFile = exchange.method == .head
        let server = server.now
        let expecting = CaptivePortal.Expectation(
            isKnown: server.isKnown,
            mayBePage: server.respondsWithPages
                && (exchange.traits.contains(.completes) || isAboutFile || received.status != 200),
            isAboutFile: isAboutFile, completes: exchange.traits.contains(.completes))
        let failure: UploadFailure?
        if server.isTakenAtWord, received.status != 511 {
            failure = nil
        } else if let page = CaptivePortal(received, to: exchange.url, expecting: expecting) {
            failure = page.failure(inPlaceOf: host(of: exchange))
        } else {
            failure = await suspicion(of: received, to: exchange, known: known)
        }
        guard let failure else {
            self.server.accept(received)
            return .responded(received)
        }
        await marker.remove(leaving: known)
        return .broken(failure, bodySent: nil)
    }

    /// Returns a failure if the response may come from a captive portal or proxy instead of the server; otherwise nil.
    /// A refusal is not doubted before the server's first response. Before it returns a failure, sends a second request:
    /// a captive portal responds to every request in the same way.
    func suspicion(
        of received: ExchangeOutcome.Response, to exchange: Exchange, known: UploadResource?
    ) async -> UploadFailure? {
        let server = server.now
        // A repeated POST could store the file twice, so its success is not doubted.
        let completes =
            exchange.traits.contains(.completes) && exchange.method != .post && received.status == 200
        // Before the server's first response, a refusal by the server looks like a refusal by a captive portal.
        let isKnown = server.isKnown && server.software != nil
        let software = server.software ?? []
        guard isKnown || completes, !server.isTakenAtWord,
            let page = CaptivePortal(
                suspecting: received, to: exchange.url, of: software,
                isResuming: exchange.method == .head && exchange.url == known?.url, completes: completes),
            let front = URL(string: "/", relativeTo: URL(string: exchange.url))?.absoluteString
        else { return nil }
        var look = Exchange(.head, completes ? exchange.url : front)
        look.traits.insert(.withoutCredentials)
        if case .responded(let looked)? = try? await sender.ask(look, label: label),
            CaptivePortal.isExcluded(by: looked, of: software, refusal: received.status)
                || completes && software.isEmpty
                    && CaptivePortal.isExcluded(by: looked, afterSending: identity.size)
        {
            return nil
        }
        return page.failure(doubting: received.status, of: host(of: exchange))
    }

    func host(of exchange: Exchange) -> String {
        URL(string: exchange.url)?.host(percentEncoded: false) ?? Redaction.address(exchange.url)
    }
}
