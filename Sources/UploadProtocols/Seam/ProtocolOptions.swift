/// The settings of a destination for its protocol.
public struct ProtocolOptions: Hashable, Sendable {
    /// A request method that replaces the protocol's own, for `put`, `post` and `form`.
    public var method: String?
    /// The form field that carries the file.
    public var fileField: String
    /// True if the server honours `Idempotency-Key`, so that a POST without a response may be repeated.
    public var sendsIdempotencyKey: Bool
    /// The most bytes of the file in one request, or the size of a part; nil uses the protocol's default.
    public var chunkSize: ByteCount?
    /// The maximum number of concurrent requests of one upload, at least 1; nil uses the protocol's default.
    public var parallelRequests: Int?
    /// The digest by which the server must confirm the received bytes.
    public var checksumChoice: ChecksumChoice
    /// The policy for a file that exists on the server; nil lets the server decide.
    public var existing: ExistingFilePolicy?
    /// True to create an upload before its length is known, if the tus server offers that.
    public var defersLength: Bool
    /// The part of a response to `post` or `form` that names the finished upload; nil for its `Location`.
    public var link: LinkSource?
    /// The options that only an S3 destination has.
    public var s3: S3Options
    /// True for a URL that was given instead of a destination. Without a slash at its end it may be the file's own URL,
    /// to which PUT writes if the server names no other protocol.
    public var isGivenAddress = false

    /// The digest without which an upload fails; nil for none, or for the digest that the server offers.
    public var checksum: DigestAlgorithm? {
        get { if case .required(let algorithm) = checksumChoice { algorithm } else { nil } }
        set { checksumChoice = newValue.map(ChecksumChoice.required) ?? .none }
    }

    /// - Parameter checksum: The digest that the server must confirm; nil for the one that it offers.
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
