/// The settings of a destination for its protocol.
public struct ProtocolOptions: Hashable, Sendable {
    /// The HTTP method that replaces the protocol's own, for `put`, `post`, `form` and `resumable`.
    public var method: String?
    /// The form field that carries the file.
    public var fileField: String
    /// True if the server honours `Idempotency-Key`, so that a POST without a response may be repeated.
    public var sendsIdempotencyKey: Bool
    /// The maximum number of the file's bytes in one request, or the size of a part; nil uses the protocol's default.
    public var chunkSize: ByteCount?
    /// The maximum number of concurrent requests of one upload, at least 1; nil uses the protocol's default.
    public var parallelRequests: Int?
    /// The choice of the digest by which the server must confirm the received bytes.
    public var checksumChoice: ChecksumChoice
    /// The policy for a file that exists on the server; nil lets the server decide.
    public var existing: ExistingFilePolicy?
    /// True to create a tus upload without its length (`Upload-Defer-Length`), if the server supports that.
    public var defersLength: Bool
    /// The part of a response to `post` or `form` with the location of the finished upload; nil means `Location`.
    public var link: LinkSource?
    /// The options that only an S3 destination has.
    public var s3: S3Options
    /// True if the user gave a URL instead of a destination's name. Without a slash at its end, it may be the URL of
    /// the file itself. `auto` then chooses PUT if the server names no other protocol.
    public var isGivenAddress = false

    /// The digest without which an upload fails; nil if no digest is required. Setting nil sets `ChecksumChoice.none`.
    public var checksum: DigestAlgorithm? {
        get { if case .required(let algorithm) = checksumChoice { algorithm } else { nil } }
        set { checksumChoice = newValue.map(ChecksumChoice.required) ?? .none }
    }

    /// - Parameter checksum: The digest without which an upload fails; nil means `ChecksumChoice.offered`.
    public init(
        method: String? = nil, fileField: String = "file", sendsIdempotencyKey: Bool = false,
        chunkSize: ByteCount? = nil, parallelRequests: Int? = nil, checksum: DigestAlgorithm? = nil,
        existing: ExistingFilePolicy? = nil, defersLength: Bool = false, link: LinkSource? = nil,
        s3: S3Options = S3Options()
    ) {
        self.method = method
        self.fileField = fileField
        self.sendsIdempotencyKey = sendsIdempotencyKey
        self.chunkSize = chunkSize
        self.parallelRequests = parallelRequests
        checksumChoice = checksum.map(ChecksumChoice.required) ?? .offered
        self.existing = existing
        self.defersLength = defersLength
        self.link = link
        self.s3 = s3
    }
}
