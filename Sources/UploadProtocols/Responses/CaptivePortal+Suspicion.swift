import FerryFiles
import HTTPTypes

/// The check of a response that possibly comes from a captive portal, such as a redirect or an HTML page. The header
/// fields of earlier responses, or a second request, show whether the server itself sent the response. With another
/// scheme than http, only the server can respond, so no response is suspicious.
extension CaptivePortal {
    /// Makes a `CaptivePortal` if a captive portal possibly sent the response of a server that responded before.
    ///
    /// - Parameters:
    ///   - software: The values of the header field `Server` (RFC 9110 §10.2.4) in earlier responses of the server.
    ///   - isResuming: True if the request asked how many bytes the server has confirmed. An HTML page is then
    ///     suspicious, because it does not contain that number.
    ///   - confirmed: The number of confirmed bytes that the upload loses if the server itself sent a refusal. If it is
    ///     not 0, a refusal in plain text is suspicious.
    package init?(
        suspecting response: ExchangeOutcome.Response, to url: String, of software: Set<String>,
        isResuming: Bool = false, confirmed: ByteCount = 0
    ) {
        guard Self.isForgeable(response, to: url, of: software) else { return nil }
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
    package init?(suspectedFrom response: ExchangeOutcome.Response, to url: String) {
        guard response.status == 200, Self.isPage(response), Self.beginsAsPage(response.body),
            Self.isForgeable(response, to: url)
        else { return nil }
        self.init()
    }

    /// Makes a `CaptivePortal` if a captive portal possibly sent this redirect to another host, the `host` of the
    /// result. Call this only if the server has not responded before.
    ///
    /// - Returns: nil also if the new URL ends with the same path component as `url`, as that of a server that moved.
    package init?(redirecting response: ExchangeOutcome.Response, from url: String) {
        guard [301, 302, 303, 307, 308].contains(response.status), let address = URL(string: url),
            address.scheme?.lowercased() == "http", let location = response.fields[.location],
            let target = URL(string: location, relativeTo: address), let host = target.host()?.lowercased(),
            host != address.host()?.lowercased(),
            ["", "/"].contains(address.lastPathComponent)
                || target.lastPathComponent != address.lastPathComponent
        else { return nil }
        self.init()
        self.host = host
    }

    /// Makes a `CaptivePortal` if a captive portal possibly sent a refusal (4xx): a page from a server that is not
    /// known, or text from one that is. Call this only if no earlier response had a field `Server`.
    package init?(refusing response: ExchangeOutcome.Response, to url: String, isKnown: Bool) {
        guard (400..<500).contains(response.status),
            isKnown ? Self.isText(response) : Self.isPage(response), Self.isForgeable(response, to: url)
        else { return nil }
        self.init()
    }

    /// True if the response to a second request proves that the server itself responds. A captive portal would send the
    /// same response to every request.
    ///
    /// - Parameter refusal: The status of the first response, which a captive portal possibly sent.
    package static func isExcluded(
        by response: ExchangeOutcome.Response, of software: Set<String>, refusal: Int
    ) -> Bool {
        if isOwn(response, of: software) { return true }
        guard software.isEmpty, !isUsual(response) else { return false }
        // An HTML page with another error status also comes from the server: nginx has one page for each status.
        return response.status != refusal && (!isPage(response) || response.status >= 400)
    }

    /// True if the response to a request for a file that no server has proves that the server itself responds. It
    /// reports that the file is missing, names the credentials that it wants, or has a field of an upload protocol.
    package static func isExcluded(byUnknownFile response: ExchangeOutcome.Response) -> Bool {
        switch response.status {
        case 404, 410: true
        case 401: response.fields[.wwwAuthenticate] != nil
        default: isOwn(response)
        }
    }

    /// True if the responses to a file that no server has (`unknown`) and to the first page (`first`) prove that the
    /// server itself sent a refusal with the status `refusal`. A captive portal sends the same response to both.
    package static func isExcluded(
        byUnknownFile unknown: ExchangeOutcome.Response, andFirstPage first: ExchangeOutcome.Response,
        refusal: Int
    ) -> Bool {
        // A portal can send 404 to every request. So this 404 proves nothing if the refusal was a 404.
        if unknown.status != refusal, isExcluded(byUnknownFile: unknown) { return true }
        if isOwn(unknown) || isOwn(first) { return true }
        if unknown.status != refusal, !isPage(unknown), !isUsual(unknown) { return true }
        return first.status != unknown.status && !isUsual(first)
    }

    /// True if the server itself sent the response to a `HEAD` for the URL of the upload. A captive portal would
    /// respond with its page again.
    ///
    /// - Parameter size: The size of the file, in bytes.
    package static func isExcluded(by response: ExchangeOutcome.Response, afterSending size: ByteCount)
        -> Bool
    {
        switch response.status {
        case 200..<300: !isPage(response) || response.fields[.contentLength] == "\(size)"
        case 511: false
        default: response.status >= 400
        }
    }

    /// True for a redirect and for 511, with which portals respond to any request.
    private static func isUsual(_ response: ExchangeOutcome.Response) -> Bool {
        (300..<400).contains(response.status) || response.status == 511
    }

    /// True if the request was not encrypted, and no header field shows that the server itself responded.
    private static func isForgeable(
        _ response: ExchangeOutcome.Response, to url: String, of software: Set<String> = []
    ) -> Bool {
        UploadAddress.isUnencrypted(url) && !isOwn(response, of: software)
    }
}
