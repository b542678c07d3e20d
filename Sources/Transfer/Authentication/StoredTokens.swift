import FerryProtocols

/// The OAuth tokens of one client at one token server, as a token file stores them.
struct StoredTokens: Codable, Hashable, Sendable {
    private static let currentVersion = 1

    var version = currentVersion
    /// The URL of the token server. Tokens are used only with the server and the client that they came from.
    var tokenURL: String
    var clientID: String
    /// The configured refresh token that led to these tokens. A different one in the configuration means a new sign-in.
    var origin: String
    var refreshToken: String
    /// The refresh token that the last refresh replaced. It is tried if the server refuses `refreshToken`, in case the
    /// server has lost its record of the replacement.
    var previousToken: String?
    var scope: String?
    var accessToken: String
    /// The time at which the access token was received, in seconds since 1970.
    var received: Double
    /// The time at which it expires, in seconds since 1970, if the server stated it.
    var expires: Double?

    /// Returns the remaining lifetime of the access token; zero if the clock was set back to before `received`.
    func remaining(at date: Date) -> Duration? {
        let now = date.timeIntervalSince1970
        return expires.map { now < received ? .zero : .seconds(max(0, $0 - now)) }
    }

    var lifetime: Duration? { expires.map { .seconds(max(0, $0 - received)) } }

    func belongs(to client: OAuth2Client, origin: String) -> Bool {
        tokenURL == client.tokenURL && clientID == client.clientID && self.origin == origin
    }

    static func decode(_ data: Data, file: String) throws(UploadFailure) -> StoredTokens {
        guard let tokens = try? JSONDecoder().decode(StoredTokens.self, from: data),
            tokens.version == currentVersion
        else {
            throw UploadFailure(
                .authentication, "\(file) does not hold tokens that can be read",
                hint: "remove it and sign in again, then retry")
        }
        return tokens
    }

    func encoded() -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // The numbers here are finite, so encoding cannot fail.
        return (try? encoder.encode(self)) ?? Data()
    }
}
