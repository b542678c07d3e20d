import FerryConnectivity
public import FerryProtocols
import HTTPTypes

/// A client as registered at a token server, with its refresh token (RFC 6749 §6).
public struct OAuth2Client: Sendable {
    /// The way in which the client authenticates (RFC 6749 §2.3.1).
    public enum Authentication: String, Sendable, CaseIterable {
        /// `Authorization: Basic`, which every token server must accept.
        case basic
        /// `client_secret` as a parameter in the request's body, for servers that require it there.
        case body
    }

    /// A function that fetches a secret when a refresh needs it. If it throws, the refresh fails.
    public typealias Secret = @Sendable () async throws(UploadFailure) -> String

    /// The URL of the token server: https, or http on this machine only.
    public var tokenURL: String
    /// The client's name as registered at the token server.
    public var clientID: String
    /// The client's secret; nil for a public client.
    public var clientSecret: Secret?
    /// The part of the request that carries `clientSecret`.
    public var authentication: Authentication
    /// The refresh token from the last sign-in. The one with which the server replaces it is used until this value
    /// changes, and a `TokenFile` stores it between runs.
    public var refreshToken: Secret
    /// The scopes, separated by spaces; nil requests the scopes of the sign-in.
    public var scope: String?

    public init(
        tokenURL: String, clientID: String, clientSecret: Secret? = nil,
        authentication: Authentication = .basic, refreshToken: @escaping Secret, scope: String? = nil
    ) {
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.authentication = authentication
        self.refreshToken = refreshToken
        self.scope = scope
    }

    /// True for an absolute https URL, or an http URL on this machine, without user info and fragment (RFC 6749 §3.2).
    public static func isTokenURL(_ text: String) -> Bool {
        guard let url = URL(string: text), let host = url.host(), !host.isEmpty, url.fragment() == nil,
            url.user() == nil, url.password() == nil
        else { return false }
        switch url.scheme?.lowercased() {
        case "https": return true
        case "http": return Reachability.isLocal(host: host)
        default: return false
        }
    }

    /// The values in the query of `tokenURL` whose names suggest secrets.
    var querySecrets: [String] {
        UploadAddress.queryItems(of: tokenURL).filter { Redaction.tellsSecret($0.name) }
            .map { $0.value.percentDecoded() ?? $0.value }
    }

    /// Returns the client's credentials for the scheme Basic, in Base64 (RFC 6749 §2.3.1).
    func basicCredentials(_ secret: String) -> String {
        Data("\(Self.encoded(clientID)):\(Self.encoded(secret))".utf8).base64EncodedString()
    }

    /// Returns the request for a new access token. Never repeated: some servers accept a refresh token once.
    func request(refreshToken: String) async throws(UploadFailure) -> TransportRequest {
        guard Self.isTokenURL(tokenURL) else {
            throw UploadFailure(
                .authentication, "tokens are asked for at https addresses only, not at \(tokenURL)",
                hint: "set tokenURL to the server's https address")
        }
        var parameters = [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
        if let scope { parameters.append(("scope", scope)) }
        var fields: HTTPFields = [
            .contentType: "application/x-www-form-urlencoded", .accept: "application/json",
        ]
        let secret = try await clientSecret?()
        switch (secret, authentication) {
        case (let secret?, .basic): fields[.authorization] = "Basic \(basicCredentials(secret))"
        case (let secret?, .body): parameters += [("client_id", clientID), ("client_secret", secret)]
        case (nil, _): parameters.append(("client_id", clientID))
        }
        let form = parameters.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        return TransportRequest(
            method: .post, url: tokenURL, fields: fields, body: .bytes(Array(form.utf8)), isRepeatable: false)
    }

    /// Returns the text as application/x-www-form-urlencoded, in UTF-8 (RFC 6749 appendix B).
    private static func encoded(_ text: String) -> String {
        text.percentEncoded(keeping: PlainCharacters(alphanumericsAnd: "*-._ ")).replacing(" ", with: "+")
    }
}
