public import HTTPTypes

/// The description of one HTTP request that a protocol needs.
public struct Exchange: Hashable, Sendable {
    /// The content of a request. File ranges are offsets in bytes from the start of the file.
    public enum Body: Hashable, Sendable {
        case none
        case bytes([UInt8])
        /// The bytes of `prefix`, then those of the file in `range`, then those of `suffix`.
        case file(range: Range<ByteCount>, prefix: [UInt8] = [], suffix: [UInt8] = [])
    }

    /// The HTTP method: the protocol's own, or the one in the destination's options.
    public var method: HTTPRequest.Method
    /// The absolute URL.
    public var url: String
    /// The header fields that the protocol sets. The sender adds others, such as credentials.
    public var fields: HTTPFields
    /// The content, whose size is `contentLength`.
    public var body: Body
    /// The facts about the request that its sender needs.
    public var traits: Traits
    /// The upload resource to write to the journal before the last bytes are sent; nil if nothing must be written. If
    /// the response is lost, a later attempt sees in the journal that the server may have the whole file.
    public var markBeforeLastBytes: UploadResource?
    /// The digests of the file to compute before the request is sent. The response's `digests` contain them.
    public var digests: [DigestRequest] = []
    /// The digests of the file to compute after a successful response, if the response reports a digest of the same
    /// algorithm. They become the last elements of the response's `digests`.
    public var digestsIfReported: [DigestRequest] = []
    /// The part of the response that is searched for a digest to compare with those of `digestsIfReported`.
    public var reportedIn = ServerDigest.Source.fields
    /// The number that distinguishes this request from others in flight, such as an S3 part number; 0 if it is alone.
    public var part = 0

    /// - Parameter traits: The traits; nil means `idempotent` for an idempotent method (RFC 9110 §9.2.2), else none.
    public init(
        _ method: HTTPRequest.Method, _ url: String, fields: HTTPFields = [:], body: Body = .none,
        traits: Traits? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.traits = traits ?? (Self.idempotentMethods.contains(method) ? .idempotent : [])
    }

    private static let idempotentMethods: Set<HTTPRequest.Method> = [
        .get, .head, .options, .put, .delete, .propfind, .mkcol,
    ]

    /// Adds the trait if `condition` is true, and removes it if not.
    public mutating func set(_ trait: Traits, if condition: Bool) {
        if condition { traits.insert(trait) } else { traits.remove(trait) }
    }

    /// The number of bytes in the body, or the largest `ByteCount` if the sum overflows.
    public var contentLength: ByteCount {
        switch body {
        case .none: 0
        case .bytes(let bytes): ByteCount(bytes.count)
        case .file(let range, let prefix, let suffix):
            .sum(range.upperBound - range.lowerBound, ByteCount(prefix.count + suffix.count))
        }
    }

    /// Returns the number of the file's bytes among the first `sent` bytes of the body.
    public func fileBytes(afterSending sent: ByteCount) -> ByteCount {
        guard case .file(let range, let prefix, _) = body else { return 0 }
        let (beyondPrefix, overflow) = sent.subtractingReportingOverflow(ByteCount(prefix.count))
        return overflow ? 0 : max(0, min(beyondPrefix, range.upperBound - range.lowerBound))
    }
}

extension Exchange {
    /// The facts about a request that its sender needs.
    public struct Traits: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Sending the request again is safe: a repetition does not change the server's state further. The method
        /// (RFC 9110 §9.2.2), an offset or an idempotency key ensures that.
        public static let idempotent = Traits(rawValue: 1 << 0)
        /// A successful response completes the upload. The local file is checked for changes before its last bytes are
        /// sent.
        public static let completes = Traits(rawValue: 1 << 1)
        /// The URL alone grants access. The request is sent without the destination's credentials and header fields.
        public static let withoutCredentials = Traits(rawValue: 1 << 2)
        /// The server probably keeps the received part of the body if the connection breaks.
        public static let kept = Traits(rawValue: 1 << 3)
        /// The server can work for minutes before its response is complete. During this time, it possibly sends a byte
        /// now and then.
        public static let slowResponse = Traits(rawValue: 1 << 4)
    }
}

/// The outcome of an exchange.
public enum ExchangeOutcome: Sendable {
    /// The server's final response. Its body is cut at the transport's limit.
    case responded(Response)
    /// No complete response arrived. `bodySent` is the number of body bytes that were passed to the socket. It is nil
    /// if the server received nothing, not even the head of the request.
    case broken(UploadFailure, bodySent: ByteCount?)

    /// The failure for this outcome. A response is classified by its status.
    var failure: UploadFailure {
        switch self {
        case .responded(let response): ResponseClassifier.failure(response)
        case .broken(let failure, _): failure
        }
    }

    /// A final response (not 1xx), as protocols receive it.
    public struct Response: Sendable {
        /// The HTTP status code.
        public var status: Int
        /// The header fields in the order in which the server sent them.
        public var fields: HTTPFields
        /// The beginning of the body, up to the transport's limit.
        public var body: [UInt8]
        /// The computed digests: those of the request's `digests`, followed by those of its `digestsIfReported`.
        public var digests: [ComputedDigest]
        /// False if the request was sent without credentials.
        public var carriedCredentials = true

        /// True for 2xx (RFC 9110 §15.3).
        var isSuccess: Bool { (200..<300).contains(status) }

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
