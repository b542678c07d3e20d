public import FerryFiles

/// The credentials for an S3 server: a pair of keys, with a token if they are temporary.
public struct S3Credentials: Hashable, Sendable {
    /// The access key ID, which each request contains.
    public var accessKey: String
    /// The secret key, which is never sent.
    public var secretKey: String
    /// The token of temporary credentials, sent and signed as `x-amz-security-token`; nil for other credentials.
    public var sessionToken: String?
    /// The time from which servers refuse the credentials; nil if they last until they are revoked.
    public var expiration: Date?
    /// The source of the credentials, for messages: “the profile work in ~/.aws/credentials”.
    public var origin: String

    public init(
        accessKey: String, secretKey: String, sessionToken: String? = nil, expiration: Date? = nil,
        origin: String = "the settings"
    ) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.expiration = expiration
        self.origin = origin
    }

    /// True if both credentials have the same keys and token, so that they produce the same signatures.
    public func provesSame(as other: S3Credentials) -> Bool {
        accessKey == other.accessKey && secretKey == other.secretKey && sessionToken == other.sessionToken
    }
}

/// The text for logs and debuggers, which shows the source of the credentials but no key.
extension S3Credentials: CustomStringConvertible, CustomReflectable {
    public var description: String { "credentials from \(origin)" }
    public var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}
