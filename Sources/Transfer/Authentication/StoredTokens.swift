import FerryFiles
import FerryProtocols

/// The content of a token file.
struct StoredTokens: Codable, Hashable, Sendable {
    private static let currentVersion = 1

    var version = currentVersion
    /// The token server. Tokens are sent only to the server and the client that they came from.
    var tokenURL: String
    var clientID: String
    /// The refresh token of the configuration that these tokens came from: another one there means a new sign-in.
    var origin: String
    var refreshToken: String
    /// The previous refresh token, for a server that lost its record of the replacement.
    var previousToken: String?
    var scope: String?
    var accessToken: String
    /// The moments at which the access token was received and ends, in seconds since 1970.
    var received: Double
    var expires: Double?

    /// Returns the remaining lifetime of the access token; zero if the clock was set back since it was received.
    func remaining(at date: Date) -> Duration? {
        let now = date.timeIntervalSince1970
        return expires.map { now < received ? .zero : .seconds(max(0, $0 - now)) }
    }

    var lifetime: Duration? { expires.map { .seconds(max(0, $0 - received)) } }

    func belongs(to client: OAuth2Client, origin: String) -> Bool {
        tokenURL == client.tokenURL && clientID == client.clientID && self.origin == origin
    }

    /// - Parameter file: The path of the file, for errors.
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
