import FerryFiles
import HTTPTypes

/// The check of a response that possibly comes from a captive portal, such as a redirect or an HTML page. The header
/// fields of earlier responses, or a second request, show whether the server itself sent the response.
extension CaptivePortal {
    /// Makes a `CaptivePortal` if a captive portal possibly sent the response. Call this if the server responded
    /// before.
    ///
    /// - Parameters:
    ///   - url: The URL of the request. If its scheme is not `http`, the result is nil.
    ///   - software: The values of the header field `Server` (RFC 9110 §10.2.4) in earlier responses of the server;
    ///     empty if none of them had this field.
    ///   - isResuming: True if the request asked how many bytes the server has confirmed. An HTML page is then
    ///     suspicious, because it does not contain that number.
    ///   - confirmed: The number of confirmed bytes that the upload loses if the server itself sent a refusal. If it is
    ///     not 0, a refusal in plain text is suspicious.
    public init?(
        suspecting response: ExchangeOutcome.Response, to url: String, of software: Set<String>,
        isResuming: Bool = false, confirmed: ByteCount = 0
    ) {
        guard URL(string: url)?.scheme?.lowercased() == "http", !Self.isOwn(response, of: software) else {
            return nil
        }
        let isPage = Self.isPage(response)
        let isOtherSoftware = !software.isEmpty
        let isEmpty = response.body.isEmpty && response.fields[.contentType] == nil
        let isSuspicious =
            switch response.status {
            case 301, 302, 303, 307, 308: response.fields[.location] != nil
            // RFC 9110 §15.5.2: a server that requires credentials names the scheme.
            case 401: isOtherSoftware || isPage && response.fields[.wwwAuthenticate] == nil
            case 400..<500:
                isPage || isEmpty && isOtherSoftware
                    || Self.isText(response) && (isOtherSoftware || confirmed > 0)
            case 200..<300: isPage && (isOtherSoftware || isResuming)
            default: false
            }
        guard isSuspicious else { return nil }
        self.init()
    }

    /// Makes a `CaptivePortal` if the final response of an upload is an HTML page that a captive portal possibly sent.
    /// Returns nil if a header field shows that the server itself sent the response.
    ///
    /// - Parameter url: The URL of the request. If its scheme is not `http`, the result is nil.
    public init?(suspectedFrom response: ExchangeOutcome.Response, to url: String) {
        guard response.status == 200, Self.isPage(response), Self.beginsAsPage(response.body),
            URL(string: url)?.scheme?.lowercased() == "http", !Self.isOwn(response, of: [])
        else { return nil }
        self.init()
    }

    /// Makes a `CaptivePortal` if a captive portal possibly sent this redirect. Its `host` is the host in the field
    /// `Location`. Call this only if the server has not responded before.
    ///
    /// - Parameter url: The URL of the request. If its scheme is not `http`, the result is nil. With https, only the
    ///   server itself can respond.
    /// - Returns: nil if the response does not redirect to another host. Also nil if the new URL ends with the same
    ///   path component as `url`. A server that has moved keeps that component.
    public init?(redirecting response: ExchangeOutcome.Response, from url: String) {
        guard [301, 302, 303, 307, 308].contains(response.status), let address = URL(string: url),
            address.scheme?.lowercased() == "http",
            let location = response.fields[.location],
            let target = URL(string: location, relativeTo: address),
            let host = target.host()?.lowercased(), host != address.host()?.lowercased(),
            ["", "/"].contains(address.lastPathComponent)
                || target.lastPathComponent != address.lastPathComponent
        else { return nil }
        self.init()
        self.host = host
    }

    /// Makes a `CaptivePortal` if the response is a refusal that a captive portal possibly sent, and that `suspecting`
    /// does not check. This is an HTML page if the server has not responded before, and plain text if it has. Call this
    /// only if no earlier response of the server had a field `Server`.
    ///
    /// - Parameters:
    ///   - url: The URL of the request. If its scheme is not `http`, the result is nil.
    ///   - isKnown: True if the server has responded before.
    /// - Returns: nil if the response has no status 4xx or another media type, or if a header field shows that the
    ///   server itself sent it.
    public init?(refusing response: ExchangeOutcome.Response, to url: String, isKnown: Bool) {
        guard (400..<500).contains(response.status),
            isKnown ? Self.isText(response) : Self.isPage(response), !Self.isOwn(response, of: []),
            URL(string: url)?.scheme?.lowercased() == "http"
        else { return nil }
        self.init()
    }

    /// True if the response to a second request proves that the server itself responds. A captive portal would send the
    /// same response to every request.
    ///
    /// - Parameters:
    ///   - software: The values of the field `Server` in earlier responses of the server.
    ///   - refusal: The status of the first response, which a captive portal possibly sent.
    public static func isExcluded(
        by response: ExchangeOutcome.Response, of software: Set<String>, refusal: Int
    ) -> Bool {
        if isOwn(response, of: software) { return true }
        guard software.isEmpty, !(300..<400).contains(response.status), response.status != 511 else {
            return false
        }
        // An HTML page with another error status also comes from the server: nginx has one page for each status.
        return response.status != refusal && (!isPage(response) || response.status >= 400)
    }

    /// True if the response to a test request proves that the server itself responds. The test requests a file that no
    /// server has. The server itself reports that the file is missing, or names the credentials that it wants. Or it
    /// sends a header field of an upload protocol. Any other response can come from a captive portal.
    public static func isExcluded(byUnknownFile response: ExchangeOutcome.Response) -> Bool {
        switch response.status {
        case 404, 410: true
        case 401: response.fields[.wwwAuthenticate] != nil
        default: isOwn(response, of: [])
        }
    }

    /// True if the responses to two test requests prove that the server itself sent an earlier refusal with the status
    /// `refusal`. The tests request a file that no server has (`unknown`), and the first page of the server (`first`).
    /// A captive portal sends the same response to both.
    public static func isExcluded(
        byUnknownFile unknown: ExchangeOutcome.Response, andFirstPage first: ExchangeOutcome.Response,
        refusal: Int
    ) -> Bool {
        // A portal can send 404 to every request. So this 404 proves nothing if the refusal was a 404.
        if unknown.status != refusal, isExcluded(byUnknownFile: unknown) { return true }
        if isOwn(unknown, of: []) || isOwn(first, of: []) { return true }
        // A portal responds to GET with a page, with a redirect, or as to every other request.
        if unknown.status != refusal, !isPage(unknown), !(300..<400).contains(unknown.status),
            unknown.status != 511
        {
            return true
        }
        return first.status != unknown.status && !(300..<400).contains(first.status) && first.status != 511
    }

    /// True if the server itself sent the response to `HEAD`, and not a captive portal. A captive portal would respond
    /// with its page again.
    ///
    /// - Parameters:
    ///   - response: The response to a `HEAD` request for the URL of the upload.
    ///   - size: The size of the file, in bytes.
    public static func isExcluded(by response: ExchangeOutcome.Response, afterSending size: ByteCount) -> Bool
    {
        switch response.status {
        case 200..<300: !isPage(response) || response.fields[.contentLength] == "\(size)"
        case 511: false
        default: response.status >= 400
        }
    }

    /// Returns the failure for a response with `status` that a captive portal possibly sent in place of `server`. The
    /// failure has the category `signInPage`, as after a response that certainly comes from a captive portal.
    public func failure(suspectedFrom status: Int, of server: String) -> UploadFailure {
        UploadFailure(
            .signInPage,
            "something answers \(status) in place of \(server): perhaps a network that wants a sign-in",
            hint: "sign in to this network with a browser; waiting uploads resume by themselves")
    }

    /// True if the response has the media type of plain text.
    public static func isText(_ response: ExchangeOutcome.Response) -> Bool {
        response.fields[.contentType]?.lowercased().hasPrefix("text/plain") == true
    }

    /// True if the field `Server` of the response has a value in `software`, or if the response has a field of an
    /// upload protocol.
    private static func isOwn(_ response: ExchangeOutcome.Response, of software: Set<String>) -> Bool {
        if let name = response.fields[.server], software.contains(name) { return true }
        return response.fields.contains { field in
            let name = field.name.canonicalName
            return ["tus-resumable", "dav"].contains(name)
                || ["upload-", "x-amz-", "x-ms-", "x-goog-"].contains { name.hasPrefix($0) }
        }
    }
}
