import FerryTransfer

/// The credentials for a destination (its member `auth`).
enum AuthenticationSettings: Decodable, Equatable {
    case none
    case basic(user: String, password: Secret)
    case bearer(Secret)
    case oauth2(OAuth2Settings)
    case s3(S3Authentication)

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.authentication)
        if fields.keys.count > 1 {
            throw fields.error(fields.keys.sorted()[1], "one kind of auth: basic, bearer, oauth2 or s3")
        }
        if let basic: BasicSettings = try fields.value("basic") {
            self = .basic(user: basic.user, password: basic.password)
        } else if let token: Secret = try fields.value("bearer") {
            self = .bearer(token)
        } else if let settings: OAuth2Settings = try fields.value("oauth2") {
            self = .oauth2(settings)
        } else if let settings: S3Authentication = try fields.value("s3") {
            self = .s3(settings)
        } else {
            self = .none
        }
    }

    var secrets: [Secret] {
        switch self {
        case .none: []
        case .basic(_, let password): [password]
        case .bearer(let token): [token]
        case .oauth2(let settings): [settings.refreshToken] + [settings.clientSecret].compactMap { $0 }
        case .s3(let settings): settings.secrets
        }
    }
}

/// Access tokens that Ferry renews with a refresh token (RFC 6749 §6).
struct OAuth2Settings: Decodable, Equatable {
    var tokenURL: String
    var clientID: String
    var clientSecret: Secret?
    var clientAuthentication: OAuth2Client.Authentication
    var refreshToken: Secret
    var scope: String?
    /// The file that stores the tokens; nil for a file in the state folder.
    var tokenFile: String?
    /// The TLS settings for the token server; nil for the defaults.
    var tls: TLSSettings?

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.oauth2)
        tokenURL = try fields.required(
            "tokenURL", "an https address (http only on this machine)", where: OAuth2Client.isTokenURL)
        clientID = try fields.required("clientID", "the name that the server knows this program by") {
            !$0.isEmpty
        }
        refreshToken = try fields.required("refreshToken", Secret.expected)
        clientSecret = try fields.value("clientSecret")
        clientAuthentication = try fields.choice("clientAuthentication") ?? .basic
        scope = try fields.value("scope")
        tokenFile = try fields.value("tokenFile").map(LocalFiles.expanded)
        if let tokenFile, !tokenFile.hasPrefix("/") || tokenFile.hasSuffix("/") {
            throw fields.error("tokenFile", "the absolute path of a file")
        }
        let tls: TLSFields? = try fields.value("tls")
        self.tls = URL(string: tokenURL).flatMap { tls?.settings(for: $0) }
    }
}

private struct BasicSettings: Decodable {
    var user: String
    var password: Secret

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.basic)
        user = try fields.required("user", "a name without a colon") { !$0.contains(":") }
        password = try fields.required("password", Secret.expected)
    }
}
