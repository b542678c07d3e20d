/// The settings of a destination for its protocol.
public struct ProtocolOptions: Hashable, Sendable {
    /// Another request method than the protocol's own, for `put`, `post` and `form`.
    public var method: String?
    /// The form field that carries the file.
    public var fileField: String
    /// True if the server honours `Idempotency-Key`, so that a POST without an answer may be repeated.
    public var sendsIdempotencyKey: Bool
    /// The most bytes of the file in one request, or the size of a part; nil leaves it to the protocol.
    public var chunkSize: ByteCount?
    /// The most requests of one upload at once, at least 1; nil leaves it to the protocol.
    public var parallelRequests: Int?
    /// The digest by which the server is to confirm what arrived.
    public var checksumChoice: ChecksumChoice
    /// The policy for a file that exists at the server already; nil leaves it to the server.
    public var existing: ExistingFilePolicy?
    /// True if an upload is to be created before its length is told, where tus servers offer that.
    public var defersLength: Bool
    /// The place in a response to `post` or `form` that names the finished upload; nil for its `Location`.
    public var link: LinkSource?
    /// The options that only an S3 destination has.
    public var s3: S3Options
    /// True for an address that was given instead of a destination. Without a slash at its end it may be the file's own,
    /// and is filled by PUT if the server names no other protocol.
    public var isGivenAddress = false

    /// The digest without which an upload fails; nil for none, or for what the server offers.
    public var checksum: DigestAlgorithm? {
        get { if case .required(let algorithm) = checksumChoice { algorithm } else { nil } }
        set { checksumChoice = newValue.map(ChecksumChoice.required) ?? .none }
    }

    /// - Parameter checksum: The digest that the server must confirm; nil for what it offers.
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
