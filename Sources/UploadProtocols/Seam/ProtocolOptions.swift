/// The settings of a destination that its protocol uses.
public struct ProtocolOptions: Hashable, Sendable {
    /// The HTTP method of the upload request, for `put`, `post`, `form` and `resumable`; nil for the default.
    public var method: String?
    /// The name of the form field that contains the file, for `form`.
    public var fileField: String
    /// True to send the header field `Idempotency-Key`, for `post` and `form`. A server that supports it ignores a
    /// second request with the same key, so a request without a response can be sent again.
    public var sendsIdempotencyKey: Bool
    /// The maximum number of the file's bytes in one request or part; nil uses the protocol's default.
    public var chunkSize: ByteCount?
    /// The maximum number of concurrent requests of one upload, at least 1; nil for the default.
    public var parallelRequests: Int?
    /// The choice of the digest by which the server confirms the bytes that it received.
    public var checksumChoice: ChecksumChoice
    /// The policy for a file of the same name that exists on the server; nil lets the server decide.
    public var existing: ExistingFilePolicy?
    /// True to create a tus upload without its length (`Upload-Defer-Length`), if the server supports that.
    public var defersLength: Bool
    /// True to send a small file with the request that creates a tus upload, if the server supports that. If the
    /// response to this request is lost, the outcome is unknown.
    public var createsWithContent: Bool
    /// The part of the response with the URL of the finished upload, for `post` and `form`; nil means `Location`.
    public var link: LinkSource?
    /// The options that only an S3 destination has.
    public var s3: S3Options
    /// True if the user gave a URL instead of a destination's name. It is possibly the URL of the file itself, unless
    /// it has `{name}` or a slash at its end. The protocol `auto` then prefers `put` to WebDAV.
    public var isGivenAddress = false

    /// The algorithm of `ChecksumChoice.required`; nil for another choice. Setting nil sets `ChecksumChoice.none`.
    public var checksum: DigestAlgorithm? {
        get { if case .required(let algorithm) = checksumChoice { algorithm } else { nil } }
        set { checksumChoice = newValue.map(ChecksumChoice.required) ?? .none }
    }

    /// - Parameter checksum: The algorithm of `ChecksumChoice.required`; nil means `ChecksumChoice.offered`.
    public init(
        method: String? = nil, fileField: String = "file", sendsIdempotencyKey: Bool = false,
        chunkSize: ByteCount? = nil, parallelRequests: Int? = nil, checksum: DigestAlgorithm? = nil,
        existing: ExistingFilePolicy? = nil, defersLength: Bool = false,
        createsWithContent: Bool = false, link: LinkSource? = nil, s3: S3Options = S3Options()
    ) {
        self.method = method
        self.fileField = fileField
        self.sendsIdempotencyKey = sendsIdempotencyKey
        self.chunkSize = chunkSize
        self.parallelRequests = parallelRequests
        checksumChoice = checksum.map(ChecksumChoice.required) ?? .offered
        self.existing = existing
        self.defersLength = defersLength
        self.createsWithContent = createsWithContent
        self.link = link
        self.s3 = s3
    }
}

/// The choice of the digest by which the server confirms the bytes that it received.
public enum ChecksumChoice: Hashable, Sendable {
    /// Any digest that the server reports, if comparing it hardly delays the upload. The upload fails if the digests
    /// differ, and succeeds without one.
    case offered
    /// No digest is used to confirm the upload.
    case none
    /// The digest of this algorithm. The upload fails if the digests differ, or if the protocol (with tus, also the
    /// server) does not support it. With most other protocols, it succeeds unverified if the server reports no digest.
    case required(DigestAlgorithm)
}
