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
        /// response. The caller sets this if all responses have looked like that for a long time.
        public var isTakenAtWord: Bool
        /// True if an HTML page is accepted as the final response of the upload, even if no header field shows that the
        /// server itself sent the page. The caller sets this if a user retried the upload after such a page.
        public var mayEndWithPage: Bool

        public init(
            isKnown: Bool = false, respondsWithPages: Bool = true, software: Set<String>? = nil,
            isTakenAtWord: Bool = false, mayEndWithPage: Bool = false
        ) {
            self.isKnown = isKnown
            self.respondsWithPages = respondsWithPages
            self.software = software
            self.isTakenAtWord = isTakenAtWord
            self.mayEndWithPage = mayEndWithPage
        }
    }
}

// Distinguishes responses of the server from those of a captive portal or proxy that responds in its place.
extension UploadAttempt {
    /// Returns the outcome of a response. If a captive portal or proxy responded in place of the server, or possibly
    /// did, the outcome is `broken`. Returns nil if the attempt was cancelled before that was known.
    func reply(
        to exchange: Exchange, _ received: ExchangeOutcome.Response, _ marker: UnknownOutcomeMarker,
        known: UploadResource?
    ) async -> ExchangeOutcome? {
        let isAboutFile = exchange.method == .head
        let server = server.now
        let expecting = CaptivePortal.Expectation(
            isKnown: server.isKnown,
            mayBePage: server.respondsWithPages
                && (exchange.traits.contains(.completes) || isAboutFile || received.status != 200),
            isAboutFile: isAboutFile, completes: exchange.traits.contains(.completes))
        let isTakenAtWord = server.isTakenAtWord && received.status != 511
        if !isTakenAtWord, let page = CaptivePortal(received, to: exchange.url, expecting: expecting) {
            await marker.remove(leaving: known)
            return .broken(page.failure(inPlaceOf: host(of: exchange)), bodySent: nil)
        } else if let failure = await suspicion(of: received, to: exchange, known: known) {
            if Task.isCancelled { return nil }
            await marker.remove(leaving: known)
            return .broken(failure, bodySent: nil)
        } else if let failure = await suspicionAtEnd(of: received, to: exchange, known: known) {
            // The mark stays, because the server may have the file.
            return Task.isCancelled ? nil : .broken(failure, bodySent: nil)
        }
        self.server.accept(received)
        return .responded(received)
    }

    /// Returns a failure if a captive portal or proxy has possibly sent this response in place of the server; otherwise
    /// nil. Always returns nil before the server's first response.
    ///
    /// If the response is suspicious, requests the server's root page. A captive portal would respond to that request
    /// in the same way.
    func suspicion(
        of received: ExchangeOutcome.Response, to exchange: Exchange, known: UploadResource?
    ) async -> UploadFailure? {
        let server = server.now
        let isResuming = exchange.method == .head && exchange.url == known?.url
        let software = server.software ?? []
        if !server.isKnown, !server.isTakenAtWord {
            // A refusal at first contact counts as the server's: a wrong URL or password is more likely than a portal.
            return await suspicionAtFirstContact(of: received, to: exchange)
        }
        guard !server.isTakenAtWord,
            let page = CaptivePortal(
                suspecting: received, to: exchange.url, of: software, isResuming: isResuming),
            let front = URL(string: "/", relativeTo: URL(string: exchange.url))?.absoluteString
        else { return nil }
        var look = Exchange(.head, front)
        look.traits.insert(.withoutCredentials)
        if case .responded(let looked)? = try? await sender.ask(look, label: label),
            CaptivePortal.isExcluded(by: looked, of: software, refusal: received.status)
        {
            return nil
        }
        return page.failure(doubting: received.status, of: host(of: exchange))
    }

    /// The name of a file that no server has. A captive portal responds to a request for it as to every request.
    private static let unknownName = "ferry-asks-who-responds"

    /// Asks, without credentials, for a file beside the exchange's URL that no server has.
    ///
    /// - Returns: The URL, and the response; nil if there was none.
    private func askForUnknownFile(
        beside exchange: Exchange
    ) async -> (url: String, response: ExchangeOutcome.Response)? {
        let address = URL(string: Self.unknownName, relativeTo: URL(string: exchange.url))
        guard let url = address?.absoluteString else { return nil }
        var look = Exchange(.head, url)
        look.traits.insert(.withoutCredentials)
        guard case .responded(let response)? = try? await sender.ask(look, label: label) else { return nil }
        return (url, response)
    }

    /// Returns a failure if a redirect comes from a captive portal, although the server has not responded before;
    /// otherwise nil. A server that has moved redirects to the same path, and not every file to one page.
    private func suspicionAtFirstContact(
        of received: ExchangeOutcome.Response, to exchange: Exchange
    ) async -> UploadFailure? {
        guard let portal = CaptivePortal(redirecting: received, from: exchange.url),
            let (url, looked) = await askForUnknownFile(beside: exchange),
            CaptivePortal(redirecting: looked, from: url) == portal
        else { return nil }
        return portal.failure(inPlaceOf: host(of: exchange))
    }

    /// Returns a failure if the response that would complete the upload is an HTML page, possibly of a captive portal;
    /// otherwise nil. For such a page, first sends one more request to find out whether the server itself responds.
    ///
    /// Returns nil if earlier responses of the server had a field `Server`, because `suspicion` has then checked the
    /// response.
    private func suspicionAtEnd(
        of received: ExchangeOutcome.Response, to exchange: Exchange, known: UploadResource?
    ) async -> UploadFailure? {
        guard exchange.traits.contains(.completes), (server.now.software ?? []).isEmpty,
            !server.now.isTakenAtWord, let page = CaptivePortal(doubting: received, to: exchange.url)
        else { return nil }
        if server.now.mayEndWithPage {
            server.acceptProven(received)
            return nil
        }
        let isAboutResource = exchange.url == known?.url
        if isAboutResource || exchange.traits.contains(.idempotent) {
            let look = Exchange(.head, exchange.url)
            if case .responded(let looked)? = try? await sender.ask(look, label: label),
                CaptivePortal.isExcluded(by: looked, afterSending: identity.size)
            {
                server.accept(looked)
                return nil
            }
        } else if let looked = await askForUnknownFile(beside: exchange)?.response,
            CaptivePortal.isExcluded(by: looked, of: [], refusal: received.status)
        {
            server.acceptProven(looked)
            return nil
        }
        // A protocol with a resource asks the server for the outcome after the sign-in. Otherwise a user must look.
        return isAboutResource
            ? page.failure(doubting: received.status, of: host(of: exchange))
            : UploadFailure(
                .outcomeUnknown,
                "everything was sent, and a web page came in place of an answer: \(host(of: exchange)) may or may "
                    + "not have the file",
                hint:
                    "look at the server, or sign in to this network; a retry takes such a page for the answer"
            )
    }

    func host(of exchange: Exchange) -> String {
        URL(string: exchange.url)?.host(percentEncoded: false) ?? Redaction.address(exchange.url)
    }
}
