import FerryFiles
import HTTPTypes

/// A page in a server's place: that of a captive portal (RFC 8952), or of a host to which a resolver misdirects. No
/// byte of a file has arrived at the server then.
package struct CaptivePortal: Hashable, Sendable {
    /// The facts that are known about the server that should answer.
    package struct Expectation: Hashable, Sendable {
        /// True if that server has answered as itself before: then an answer that sends elsewhere, or is a page for people
        /// where there should be none, is not its own. A server that was never reached is taken at its word.
        package var isKnown: Bool
        /// Whether this request may be answered by a page for people (HTML) with a success.
        package var mayBePage: Bool
        /// Whether the question was about a file, which may be a page itself.
        package var isAboutFile: Bool

        package init(isKnown: Bool, mayBePage: Bool, isAboutFile: Bool = false) {
            self.isKnown = isKnown
            self.mayBePage = mayBePage
            self.isAboutFile = isAboutFile
        }
    }

    /// The host of the page, where it tells one.
    package var host: String?

    /// Looks for what gives such a page away.
    ///
    /// - Parameter url: Where the request went. What is encrypted cannot be answered by anybody else.
    /// - Returns: nil if the answer may well be the server's.
    package init?(_ answer: ExchangeOutcome.Response, to url: String, expecting: Expectation) {
        let address = URL(string: url)
        guard address?.scheme?.lowercased() != "https" else { return nil }
        let target = answer.fields[.location].flatMap {
            URL(string: $0, relativeTo: address)?.host()?.lowercased()
        }
        let elsewhere = target == address?.host()?.lowercased() ? nil : target
        switch answer.status {
        // RFC 6585 §6.
        case 511: break
        case _ where Self.isPage(answer) && Self.hasMark(answer.body): break
        // A server that has moved for good says so with another status.
        case 302, 303, 307: guard expecting.isKnown, elsewhere != nil else { return nil }
        case 200..<300:
            guard expecting.isKnown, !expecting.mayBePage, Self.isPage(answer), !Self.isOwn(answer) else {
                return nil
            }
            let looksLikePage = Self.beginsAsPage(answer.body)
            guard looksLikePage || answer.body.isEmpty && expecting.isAboutFile else { return nil }
        default: return nil
        }
        host = elsewhere
    }

    /// Stands for a certificate that is not the server's.
    package init() {}

    /// The failure for the queue: all uploads to that host wait, and one tests from time to time.
    ///
    /// - Parameters:
    ///   - server: The host that was asked.
    ///   - failure: What gave it away, if that was no answer.
    package func failure(inPlaceOf server: String, after failure: UploadFailure? = nil) -> UploadFailure {
        let place = host.map { " (\($0))" } ?? ""
        let summary = failure.map { "\($0.summary); it was accepted before" }
        let hint = "sign in to this network with a browser; waiting uploads resume by themselves"
        return UploadFailure(
            .signInPage, summary ?? "a captive portal's sign-in page\(place) answers in place of \(server)",
            hint: failure?.hint.map { "this may be a network that wants you to sign in; if not, \($0)" }
                ?? hint)
    }

    /// True if the answer's content is a page for people.
    package static func isPage(_ answer: ExchangeOutcome.Response) -> Bool {
        answer.fields[.contentType]?.lowercased().hasPrefix("text/html") == true
    }

    private static func beginsAsPage(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body.prefix(256), as: UTF8.self).lowercased()
            .trimmedOfLines()
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }

    /// Fields that no page for people has. Some servers put the type of a page on every answer.
    private static func isOwn(_ answer: ExchangeOutcome.Response) -> Bool {
        answer.fields.contains { field in
            let name = field.name.canonicalName
            return ["etag", "location", "tus-resumable", "dav"].contains(name)
                || ["upload-", "x-amz-", "x-ms-", "x-goog-"].contains { name.hasPrefix($0) }
        }
    }

    /// The mark of the Wireless ISP roaming protocol, which many pages carry.
    private static func hasMark(_ body: [UInt8]) -> Bool {
        body.prefix(16_384).firstRange(of: "WISPAccessGatewayParam".utf8) != nil
    }
}
