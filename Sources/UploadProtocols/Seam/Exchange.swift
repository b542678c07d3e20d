public import HTTPTypes

/// One HTTP request a protocol wants made, described and not sent.
public struct Exchange: Hashable, Sendable {
    /// What the request carries. File ranges are offsets in bytes from the start of the file.
    public enum Body: Hashable, Sendable {
        case none
        case bytes([UInt8])
        /// `prefix`, then the bytes of the file in `range`, then `suffix`, with nothing between.
        case file(range: Range<ByteCount>, prefix: [UInt8] = [], suffix: [UInt8] = [])
    }

    /// Of the protocol, or as the destination's options have it.
    public var method: HTTPRequest.Method
    /// An absolute address.
    public var url: String
    /// What the protocol says; the session adds its own.
    public var fields: HTTPFields
    /// What is sent; `contentLength` is how much that is.
    public var body: Body
    /// True if the server ends up in the same state however often it gets this request (RFC 9110 §9.2.2, or made
    /// so by an offset or a key).
    public var isIdempotent: Bool
    /// True if a successful answer ends the upload: the file is checked once more before the last bytes go out.
    public var mayComplete: Bool
    /// What must be durable before the last bytes go out, for a request whose outcome cannot be asked for later.
    public var markBeforeLastBytes: Resource?
    /// Computed before the request is sent; they come back with the answer.
    public var digests: [DigestOrder] = []
    /// Computed once the answer has come, where it is a success that tells a digest of the same kind; they come back
    /// with it, behind those of `digests`.
    public var digestsIfTold: [DigestOrder] = []
    /// False for an address that is a permission in itself: the destination's credentials and headers do not go there.
    public var carriesCredentials = true
    /// True if the server is believed to keep what arrives of the body, should the connection break.
    public var keepsWhatArrives = false
    /// True if the server may send its answer for minutes, a byte now and then, while it works.
    public var answerMayTakeLong = false
    /// Which of several requests under way this is; 0 if there is only one.
    public var part = 0

    public init(
        _ method: HTTPRequest.Method, _ url: String, fields: HTTPFields = [:], body: Body = .none,
        isIdempotent: Bool, mayComplete: Bool = false
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.isIdempotent = isIdempotent
        self.mayComplete = mayComplete
    }

    /// The exact number of bytes of the body; the largest number there is if it is larger.
    public var contentLength: ByteCount {
        switch body {
        case .none: 0
        case .bytes(let bytes): ByteCount(bytes.count)
        case .file(let range, let prefix, let suffix):
            Self.sum(range.upperBound - range.lowerBound, ByteCount(prefix.count + suffix.count))
        }
    }

    private static func sum(_ first: ByteCount, _ second: ByteCount) -> ByteCount {
        let (sum, overflow) = first.addingReportingOverflow(second)
        return overflow ? .max : sum
    }

    /// How many of the file's bytes are out once `sent` bytes of the body are.
    public func fileBytes(afterSending sent: ByteCount) -> ByteCount {
        guard case .file(let range, let prefix, _) = body else { return 0 }
        let (beyondPrefix, overflow) = sent.subtractingReportingOverflow(ByteCount(prefix.count))
        return overflow ? 0 : max(0, min(beyondPrefix, range.upperBound - range.lowerBound))
    }
}

/// What came of an exchange.
public enum Reply: Sendable {
    /// The server's final answer. Its body is cut at a limit that the transport sets.
    case answered(Answer)
    /// No complete answer came. `bodySent` bytes of the body were handed to the socket; nil if nothing of the request
    /// was, not even its head.
    case broken(UploadFailure, bodySent: ByteCount?)

    /// A final answer (not 1xx), as far as protocols read it.
    public struct Answer: Sendable {
        /// What the server's final answer says.
        public var status: Int
        /// In the order the server sent them.
        public var fields: HTTPFields
        /// Its beginning, up to the transport's limit.
        public var body: [UInt8]
        /// What was computed for the request, as its `digests` asked.
        public var digests: [ComputedDigest]
        /// False if the request had nothing that could sign it in.
        public var carriedCredentials = true

        public init(
            status: Int, fields: HTTPFields = [:], body: [UInt8] = [], digests: [ComputedDigest] = []
        ) {
            self.status = status
            self.fields = fields
            self.body = body
            self.digests = digests
        }
    }
}
