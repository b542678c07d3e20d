import FerryFiles
import HTTPTypes

/// Answers that may be a network's or the server's: refusals with a page for people, redirects within the server. Only
/// what else is known of the server tells.
extension CaptivePortal {
    /// Looks for an answer that is perhaps not the server's own.
    ///
    /// - Parameters:
    ///   - url: Where the request went. What is encrypted cannot be answered by anybody else.
    ///   - software: The values of the field Server (RFC 9110 §10.2.4) that the server has answered with before; empty
    ///     if it names none, or has not answered yet.
    ///   - isResuming: Whether the server was asked how much it holds, which no page for people can say.
    /// - Returns: nil if the answer is the server's.
    public init?(
        suspecting answer: ExchangeOutcome.Response, to url: String, of software: Set<String>,
        isResuming: Bool = false
    ) {
        guard URL(string: url)?.scheme?.lowercased() == "http", !Self.isOwn(answer, of: software) else {
            return nil
        }
        let isPage = Self.isPage(answer)
        let isOtherSoftware = !software.isEmpty
        let isEmpty = answer.body.isEmpty && answer.fields[.contentType] == nil
        let isSuspicious =
            switch answer.status {
            case 302, 303, 307: answer.fields[.location] != nil
            // RFC 9110 §15.5.2: a server that wants credentials says which.
            case 401: isOtherSoftware || isPage && answer.fields[.wwwAuthenticate] == nil
            case 400, 403, 404, 405, 410, 411, 413: isPage || isEmpty && isOtherSoftware
            case 200..<300: isPage && (isOtherSoftware || isResuming)
            default: false
            }
        guard isSuspicious else { return nil }
        self.init()
    }

    /// Whether the answer to another question shows that the server itself answers, and no network in its place, which
    /// would answer everything alike.
    ///
    /// - Parameter refusal: The status that is in doubt.
    public static func isExcluded(
        by answer: ExchangeOutcome.Response, of software: Set<String>, refusal: Int
    ) -> Bool {
        if isOwn(answer, of: software) { return true }
        guard software.isEmpty, !(300..<400).contains(answer.status), answer.status != 511 else {
            return false
        }
        // A page that refuses something else, with another status, is a server's own as well: nginx has one for each.
        return answer.status != refusal && (!isPage(answer) || answer.status >= 400)
    }

    /// The failure for the queue: the upload waits, as behind a page that is certainly not the server's.
    public func failure(doubting status: Int, of server: String) -> UploadFailure {
        UploadFailure(
            .signInPage,
            "something answers \(status) in place of \(server): perhaps a network that wants a sign-in",
            hint: "sign in to this network with a browser; waiting uploads resume by themselves")
    }

    /// True if the answer names the server's software, or has fields that only upload protocols know.
    private static func isOwn(_ answer: ExchangeOutcome.Response, of software: Set<String>) -> Bool {
        if let name = answer.fields[.server], software.contains(name) { return true }
        return answer.fields.contains { field in
            let name = field.name.canonicalName
            return ["tus-resumable", "dav"].contains(name)
                || ["upload-", "x-amz-", "x-ms-", "x-goog-"].contains { name.hasPrefix($0) }
        }
    }
}
