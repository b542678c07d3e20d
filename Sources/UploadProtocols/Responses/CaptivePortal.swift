import FerryFiles
import HTTPTypes

/// The finding that a captive portal (the sign-in page of a network, RFC 8952), or a wrong host to which a false DNS
/// response points, certainly or possibly responded. The server then has nothing of the request.
package struct CaptivePortal: Hashable, Sendable {
    /// The host in the response's `Location`; nil if there is no `Location`, or if it leads to the host of the request.
    package var host: String?

    /// Makes a `CaptivePortal` if the response certainly or most likely comes from a captive portal. The signs are the
    /// status 511, a mark of the WISPr protocol, an unexpected redirect, and an unexpected HTML page.
    ///
    /// - Parameters:
    ///   - url: The URL of the request. With https, a captive portal cannot respond, so the result is nil.
    ///   - isKnown: True if the server has responded before. If false, redirects are attributed to the server, and so
    ///     are HTML pages that do not complete the upload.
    ///   - mayBePage: True if a successful response to this request may contain an HTML page.
    ///   - isAboutFile: True for a `HEAD` request, whose response has no body that shows an HTML page.
    ///   - completes: True if a successful response to this request completes the upload.
    package init?(
        _ response: ExchangeOutcome.Response, to url: String, isKnown: Bool, mayBePage: Bool,
        isAboutFile: Bool, completes: Bool
    ) {
        // Nearly all responses are none of these, and a URL takes long to parse.
        guard Self.isPage(response) || [302, 303, 307, 511].contains(response.status) else { return nil }
        let address = URL(string: url)
        guard address?.scheme?.lowercased() != "https" else { return nil }
        let target = response.fields[.location].flatMap {
            URL(string: $0, relativeTo: address)?.host()?.lowercased()
        }
        let elsewhere = target == address?.host()?.lowercased() ? nil : target
        switch response.status {
        // A captive portal by definition (RFC 6585 §6).
        case 511: break
        // The mark of the WISPr protocol (Wireless ISP roaming), which many captive portals send.
        case _
        where Self.isPage(response)
            && response.body.prefix(16_384).firstRange(of: "WISPAccessGatewayParam".utf8) != nil:
            break
        // 301 and 308 are not suspicious: a server sends them if it has moved permanently.
        case 302, 303, 307: guard isKnown, elsewhere != nil else { return nil }
        case 200..<300:
            guard isKnown || completes, !mayBePage, Self.isPage(response),
                !Self.isOwn(response, orBy: ["etag", "location"])
            else { return nil }
            guard Self.beginsAsPage(response.body) || response.body.isEmpty && isAboutFile else { return nil }
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
        return UploadFailure(
            .signInPage, summary ?? "a captive portal's sign-in page\(named) answers in place of \(server)",
            hint: failure?.hint.map { "this may be a network that wants you to sign in; if not, \($0)" }
                ?? Self.hint)
    }

    /// Returns the failure for a response with `status` that a captive portal possibly sent in place of `server`.
    package func failure(suspectedFrom status: Int, of server: String) -> UploadFailure {
        UploadFailure(
            .signInPage,
            "something answers \(status) in place of \(server): perhaps a network that wants a sign-in",
            hint: Self.hint)
    }

    private static let hint = "sign in to this network with a browser; waiting uploads resume by themselves"

    /// True if the response has the media type of an HTML page.
    package static func isPage(_ response: ExchangeOutcome.Response) -> Bool {
        response.fields[.contentType]?.lowercased().hasPrefix("text/html") == true
    }

    /// True if the response has the media type of plain text.
    package static func isText(_ response: ExchangeOutcome.Response) -> Bool {
        response.fields[.contentType]?.lowercased().hasPrefix("text/plain") == true
    }

    static func beginsAsPage(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body.prefix(256), as: UTF8.self).lowercased().trimmedOfLines()
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }

    /// True if the field `Server` has a value in `software`, or if the response has a field of an upload protocol or
    /// one of `names`. This counts even with an HTML media type, because some servers label every response as HTML.
    static func isOwn(
        _ response: ExchangeOutcome.Response, of software: Set<String> = [], orBy names: [String] = []
    ) -> Bool {
        if let name = response.fields[.server], software.contains(name) { return true }
        return response.fields.contains { field in
            let name = field.name.canonicalName
            return ["tus-resumable", "dav"].contains(name) || names.contains(name)
                || ["upload-", "x-amz-", "x-ms-", "x-goog-"].contains { name.hasPrefix($0) }
        }
    }
}
