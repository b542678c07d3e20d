import FerryFiles
import HTTPTypes

/// The finding that a captive portal (the sign-in page of a network, RFC 8952) certainly or possibly responded in place
/// of the server. A wrong host, to which a false DNS response points, is treated in the same way. If the finding is
/// right, the server has received nothing of the request.
package struct CaptivePortal: Hashable, Sendable {
    /// The facts about the server and the request that are needed to recognize a captive portal.
    package struct Expectation: Hashable, Sendable {
        /// True if the server has responded before. If true, a temporary redirect to another host, or an unexpected
        /// HTML page (see `mayBePage`), is attributed to a captive portal. If false, both are attributed to the server.
        /// The only exception is an HTML page that would complete the upload (see `completes`).
        package var isKnown: Bool
        /// True if a successful response to this request may contain an HTML page.
        package var mayBePage: Bool
        /// True for a `HEAD` request. The response to a `HEAD` request has no body, so only the media type shows an
        /// HTML page.
        package var isAboutFile: Bool
        /// True if a successful response to this request completes the upload. An HTML page in such a response is
        /// attributed to a captive portal, even if `isKnown` is false. If `mayBePage` is true, the page is attributed
        /// to the server.
        package var completes: Bool

        package init(isKnown: Bool, mayBePage: Bool, isAboutFile: Bool = false, completes: Bool = false) {
            self.isKnown = isKnown
            self.mayBePage = mayBePage
            self.isAboutFile = isAboutFile
            self.completes = completes
        }
    }

    /// The host in the response's `Location`; nil if there is no `Location`, or if it leads to the host of the request.
    package var host: String?

    /// Makes a `CaptivePortal` if the response certainly or most likely comes from a captive portal. The signs are the
    /// status 511, a mark of the WISPr protocol, an unexpected redirect, and an unexpected HTML page.
    ///
    /// - Parameter url: The URL of the request. With https, a captive portal cannot respond, so the result is nil.
    package init?(_ response: ExchangeOutcome.Response, to url: String, expecting: Expectation) {
        let address = URL(string: url)
        guard address?.scheme?.lowercased() != "https" else { return nil }
        let target = response.fields[.location].flatMap {
            URL(string: $0, relativeTo: address)?.host()?.lowercased()
        }
        let elsewhere = target == address?.host()?.lowercased() ? nil : target
        switch response.status {
        // A captive portal by definition (RFC 6585 §6).
        case 511: break
        case _ where Self.isPage(response) && Self.hasMark(response.body): break
        // 301 and 308 are not suspicious: a server sends them if it has moved permanently.
        case 302, 303, 307: guard expecting.isKnown, elsewhere != nil else { return nil }
        case 200..<300:
            guard expecting.isKnown || expecting.completes, !expecting.mayBePage, Self.isPage(response),
                !Self.isOwn(response)
            else { return nil }
            let looksLikePage = Self.beginsAsPage(response.body)
            guard looksLikePage || response.body.isEmpty && expecting.isAboutFile else { return nil }
        default: return nil
        }
        host = elsewhere
    }

    /// Makes a `CaptivePortal` without a host, for example after a TLS certificate that is not the server's.
    package init() {}

    /// Returns the failure that makes all uploads to `server` wait. While the uploads wait, one of them tests the
    /// connection from time to time.
    ///
    /// - Parameters:
    ///   - server: The host of the request.
    ///   - failure: The failure that revealed the captive portal; nil if a response revealed it.
    package func failure(inPlaceOf server: String, after failure: UploadFailure? = nil) -> UploadFailure {
        let named = host.map { " (\($0))" } ?? ""
        let summary = failure.map { "\($0.summary); it was accepted before" }
        let hint = "sign in to this network with a browser; waiting uploads resume by themselves"
        return UploadFailure(
            .signInPage, summary ?? "a captive portal's sign-in page\(named) answers in place of \(server)",
            hint: failure?.hint.map { "this may be a network that wants you to sign in; if not, \($0)" }
                ?? hint)
    }

    /// True if the response has the media type of an HTML page.
    package static func isPage(_ response: ExchangeOutcome.Response) -> Bool {
        response.fields[.contentType]?.lowercased().hasPrefix("text/html") == true
    }

    static func beginsAsPage(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body.prefix(256), as: UTF8.self).lowercased()
            .trimmedOfLines()
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }

    /// True if a header field shows that the server itself responded. This is checked even if the media type is HTML,
    /// because some servers label every response as HTML.
    private static func isOwn(_ response: ExchangeOutcome.Response) -> Bool {
        response.fields.contains { field in
            let name = field.name.canonicalName
            return ["etag", "location", "tus-resumable", "dav"].contains(name)
                || ["upload-", "x-amz-", "x-ms-", "x-goog-"].contains { name.hasPrefix($0) }
        }
    }

    /// True if the body has the mark of the WISPr protocol (Wireless ISP roaming), which many captive portals send.
    private static func hasMark(_ body: [UInt8]) -> Bool {
        body.prefix(16_384).firstRange(of: "WISPAccessGatewayParam".utf8) != nil
    }
}
