import FerryProtocols
import HTTPTypes

extension UploadAttempt {
    /// The facts about a server that help to distinguish its responses from those of a captive portal.
    public struct Server: Hashable, Sendable {
        /// True if the server itself, and not a captive portal, has responded before.
        public var isKnown: Bool
        /// True if a successful response of the upload's protocol may have an HTML body.
        public var respondsWithPages: Bool
        /// The values of the header field `Server` in the server's responses; nil before its first response.
        public var software: Set<String>?
        /// True if every response but a 511 is accepted as the server's. The caller sets this after all responses have
        /// looked like a captive portal's for a long time.
        public var isTakenAtWord: Bool
        /// True if an HTML page is accepted as the final response. The caller sets this if a user has retried the
        /// upload after an attempt with an unknown outcome.
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

extension UploadAttempt {
    /// Returns `responded` if the server itself sent the response, `broken` if a captive portal or a proxy possibly
    /// sent it, and nil if the attempt is cancelled during this check.
    func reply(
        to exchange: Exchange, _ received: ExchangeOutcome.Response, _ marker: UnknownOutcomeMarker,
        known: UploadResource?
    ) async -> ExchangeOutcome? {
        let isAboutFile = exchange.method == .head
        let server = server.now
        let completes = exchange.traits.contains(.completes)
        let isTakenAtWord = server.isTakenAtWord && received.status != 511
        if !isTakenAtWord,
            let page = CaptivePortal(
                received, to: exchange.url, isKnown: server.isKnown,
                mayBePage: server.respondsWithPages && (completes || isAboutFile || received.status != 200),
                isAboutFile: isAboutFile, completes: completes)
        {
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
        self.server.accept(received, to: exchange)
        return .responded(received)
    }

    /// Returns a failure if a captive portal or a proxy possibly sent this response in place of the server.
    ///
    /// If the response looks suspicious, requests the first page of the server, to which a captive portal would respond
    /// in the same way. If a plain text refuses an upload resource with confirmed bytes, sends `OPTIONS` for its folder
    /// instead. If that does not show who sent a refusal, also requests a file that no server has. At first contact,
    /// checks only redirects.
    func suspicion(
        of received: ExchangeOutcome.Response, to exchange: Exchange, known: UploadResource?
    ) async -> UploadFailure? {
        let server = server.now
        guard !server.isTakenAtWord else { return nil }
        // Other refusals, and those at first contact, are checked only if they end the attempt (see `reviewed`).
        guard server.isKnown else { return await suspicionAtFirstContact(of: received, to: exchange) }
        let isResuming = exchange.method == .head && exchange.url == known?.url
        let confirmed = isResuming ? known?.confirmed ?? 0 : 0
        let isText = CaptivePortal.isText(received)
        let software = server.software ?? []
        guard
            let page = CaptivePortal(
                suspecting: received, to: exchange.url, of: software, isResuming: isResuming,
                confirmed: confirmed)
        else { return nil }
        // The folder of an upload resource usually creates uploads, so the server names its protocol there.
        let asksFolder = isText && confirmed > 0
        let looked = await response(
            to: asksFolder ? .options : .head, address(asksFolder ? "./" : "/", of: exchange))
        if let looked, CaptivePortal.isExcluded(by: looked, of: software, refusal: received.status) {
            return nil
        }
        if software.isEmpty || isText, received.status >= 400, await isServers(received.status, to: exchange)
        {
            return nil
        }
        return page.failure(suspectedFrom: received.status, of: host(of: exchange))
    }

    /// The name of a file that no server has. A captive portal responds to it as to every request.
    private static let unknownName = "ferry-asks-who-responds"

    /// Requests a file that no server has, in the folder of the exchange's URL and without credentials.
    private func askForUnknownFile(
        beside exchange: Exchange
    ) async -> (url: String, response: ExchangeOutcome.Response)? {
        guard let url = address(Self.unknownName, of: exchange) else { return nil }
        // Captive portals respond to GET with their page. Some know no HEAD, and refuse it as a server would.
        return await response(to: .get, url).map { (url, $0) }
    }

    private func address(_ reference: String, of exchange: Exchange) -> String? {
        URL(string: reference, relativeTo: URL(string: exchange.url))?.absoluteString
    }

    private func response(to method: HTTPRequest.Method, _ url: String?) async -> ExchangeOutcome.Response? {
        guard let url else { return nil }
        var look = Exchange(method, url)
        look.traits.insert(.withoutCredentials)
        guard case .responded(let response)? = try? await sender.ask(look, label: label) else { return nil }
        return response
    }

    /// True if an unknown file and the first page prove that the server itself refused `exchange` with `status`.
    private func isServers(_ status: Int, to exchange: Exchange) async -> Bool {
        guard let unknown = await askForUnknownFile(beside: exchange)?.response,
            let first = await response(to: .get, address("/", of: exchange))
        else { return false }
        return CaptivePortal.isExcluded(byUnknownFile: unknown, andFirstPage: first, refusal: status)
    }

    /// Returns the failure that ends the attempt: `failure`, or one of the category `authentication` if a captive
    /// portal possibly sent the last refusal, so that the upload waits for the user.
    func reviewed(_ failure: UploadFailure) async -> UploadFailure {
        guard failure.category == .permanent, !server.now.isTakenAtWord,
            let refusal = server.doubtfulRefusal,
            await !isServers(refusal.status, to: refusal.exchange)
        else { return failure }
        var held = failure
        held.category = .authentication
        held.hint =
            "other addresses of \(host(of: refusal.exchange)) answer in the same way: sign in to this network with a "
            + "browser, or correct the url or auth of the destination, then retry"
        return held
    }

    /// Returns a failure if the response and that to an unknown file redirect to one page at another host, as a captive
    /// portal does. A server that has moved keeps the path of the URL.
    private func suspicionAtFirstContact(
        of received: ExchangeOutcome.Response, to exchange: Exchange
    ) async -> UploadFailure? {
        guard let portal = CaptivePortal(redirecting: received, from: exchange.url),
            let (url, looked) = await askForUnknownFile(beside: exchange),
            CaptivePortal(redirecting: looked, from: url) == portal,
            let page = received.fields[.location].map(UploadAddress.withoutQuery),
            looked.fields[.location].map(UploadAddress.withoutQuery) == page
        else { return nil }
        return portal.failure(inPlaceOf: host(of: exchange))
    }

    /// Returns a failure if an HTML page would complete the upload and a captive portal possibly sent it. Asks the
    /// server once more before.
    ///
    /// Returns nil if the server's responses had a field `Server`, because `suspicion` has then checked the page, or if
    /// its HTML pages are accepted.
    private func suspicionAtEnd(
        of received: ExchangeOutcome.Response, to exchange: Exchange, known: UploadResource?
    ) async -> UploadFailure? {
        guard exchange.traits.contains(.completes), (server.now.software ?? []).isEmpty,
            !server.now.isTakenAtWord, let page = CaptivePortal(suspectedFrom: received, to: exchange.url)
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
            CaptivePortal.isExcluded(byUnknownFile: looked)
        {
            server.acceptProven(looked)
            return nil
        }
        // After the sign-in, a protocol with an upload resource asks the server for the outcome. Without one, the user
        // must look at the server.
        return isAboutResource
            ? page.failure(suspectedFrom: received.status, of: host(of: exchange))
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
