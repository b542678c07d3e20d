import FerryProtocols

/// The parts of a token server's JSON response that `OAuth2Authenticator` uses (RFC 6749 §5).
struct OAuth2Response {
    let accessToken: String
    /// The server's new refresh token, if it replaced the current one.
    let refreshToken: String?
    let lifetime: Duration?

    /// The error for a response without a usable token. Its failure repeats the server's explanation.
    struct Refusal: Error {
        let failure: UploadFailure
        /// True if the server refused the refresh token itself.
        let isForToken: Bool
    }

    init(
        _ response: TransportResponse, from url: String, hiding secrets: Secrets = Secrets(), now: Date
    ) throws(Refusal) {
        let host = URL(string: url)?.host() ?? "the token server"
        guard (200..<300).contains(response.status) else {
            throw Self.refusal(response, host: host, hiding: secrets, now: now)
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(response.body)),
            let token = document.accessToken
        else {
            throw Self.unusable(
                "\(host) sent no access token", "check that tokenURL is the server's token endpoint")
        }
        // RFC 6749 §7.1: a client must not use a token of a type that it does not understand.
        guard document.tokenType?.lowercased() == "bearer" else {
            let type = document.tokenType.map { Self.harmless(secrets.cut(from: $0)) } ?? ""
            throw Self.unusable(
                "\(host) sent a token of a type that cannot be used\(type.isEmpty ? "" : ": \(type)")",
                "only bearer tokens can")
        }
        // Tokens with spaces are refused, although RFC 6749 appendix A allows them: the value of a header field may not
        // begin or end with one.
        guard Self.isToken(token), document.refreshToken.map(Self.isToken) ?? true else {
            throw Self.unusable("\(host) sent a token with characters that no token has", "tell its operator")
        }
        guard token.utf8.count <= Self.longestAccessToken else {
            throw Self.unusable(
                "\(host) sent an access token of \(token.utf8.count) bytes; at most \(Self.longestAccessToken) are taken",
                "ask its operator for a shorter one, with fewer claims")
        }
        accessToken = token
        refreshToken = document.refreshToken
        lifetime = document.lifetime
    }

    /// The maximum length of an access token. The transport sends request heads of up to 32 KiB, and many servers
    /// accept only 8 or 16 KiB.
    private static let longestAccessToken = 16 << 10

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func unusable(_ summary: String, _ hint: String) -> Refusal {
        Refusal(failure: UploadFailure(.authentication, summary, hint: hint), isForToken: false)
    }

    private static func refusal(
        _ response: TransportResponse, host: String, hiding secrets: Secrets, now: Date
    ) -> Refusal {
        let document = try? JSONDecoder().decode(Document.self, from: Data(response.body))
        let code = document?.error.map(harmless) ?? ""
        let said = [document?.error, document?.errorDescription].compactMap { $0 }
            .map { harmless(secrets.cut(from: $0).replacing(Redaction.mark, with: "...")) }
            .filter { !$0.isEmpty }.joined(separator: ": ")
        let words = "\(host) answered \(response.status)" + (said.isEmpty ? "" : " (\(said))")
        let isPassing = [408, 425, 429].contains(response.status) || response.status >= 500
        if isPassing || ["temporarily_unavailable", "server_error"].contains(code) {
            let wait = RetryAfter.seconds(in: response.fields, now: now)
            return Refusal(
                failure: UploadFailure(.server, words, status: response.status, retryAfter: wait),
                isForToken: false)
        }
        let failure = UploadFailure(
            .authentication, words, hint: hint(code, response.status), status: response.status)
        return Refusal(failure: failure, isForToken: code == "invalid_grant")
    }

    private static func hint(_ code: String, _ status: Int) -> String {
        switch code {
        case "invalid_grant":
            "sign in again and put the new refresh token in place of the old one, then retry"
        case "invalid_client": "check clientID, clientSecret and clientAuthentication, then retry"
        case "unauthorized_client", "unsupported_grant_type":
            "the server does not give this client refresh tokens; ask its operator"
        case "invalid_scope": "check scope, then retry"
        default:
            (300..<400).contains(status) || status == 404 || status == 405
                ? "check that tokenURL is the server's token endpoint" : "check the auth of the destination"
        }
    }

    /// Returns up to 200 characters of a text without those that RFC 6749 §5.2 forbids in the description of an error.
    private static func harmless(_ text: String) -> String {
        let allowed = text.unicodeScalars.filter {
            (0x20...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\"
        }
        return String(String.UnicodeScalarView(allowed.prefix(200)))
            .trimmed()
    }

    private struct Document: Decodable {
        var accessToken: String?
        var tokenType: String?
        var refreshToken: String?
        var error: String?
        var errorDescription: String?
        var lifetime: Duration?

        private enum Key: String, CodingKey {
            case accessToken = "access_token"
            case tokenType = "token_type"
            case refreshToken = "refresh_token"
            case expiresIn = "expires_in"
            case error
            case errorDescription = "error_description"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            func text(_ key: Key) -> String? { try? container.decodeIfPresent(String.self, forKey: key) }
            accessToken = text(.accessToken)
            tokenType = text(.tokenType)
            refreshToken = text(.refreshToken)
            error = text(.error)
            errorDescription = text(.errorDescription)
            // Some servers send `expires_in` as text.
            let seconds =
                (try? container.decode(Double.self, forKey: .expiresIn))
                ?? text(.expiresIn).flatMap(Double.init)
            lifetime = seconds.flatMap { $0.isFinite ? .seconds(min(max($0, 0), 1e9)) : nil }
        }
    }
}
