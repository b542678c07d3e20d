public import HTTPTypes

/// The description of one HTTP request of a protocol.
public struct Exchange: Hashable, Sendable {
    /// The content of a request. File ranges are offsets in bytes from the start of the file.
    public enum Body: Hashable, Sendable {
        case none
        case bytes([UInt8])
        /// The bytes of `prefix`, of the file in `range`, and of `suffix`, without a separator.
        case file(range: Range<ByteCount>, prefix: [UInt8] = [], suffix: [UInt8] = [])
    }

    /// The method of the protocol, or that of the destination's options.
    public var method: HTTPRequest.Method
    /// The absolute URL.
    public var url: String
    /// The protocol's header fields; the session adds its own.
    public var fields: HTTPFields
    /// The content, whose size is `contentLength`.
    public var body: Body
    /// The facts about the request that its sender needs.
    public var traits: Traits
    /// The resource that must be durable before the last bytes are sent, for a request whose outcome cannot be
    /// requested later.
    public var markBeforeLastBytes: UploadResource?
    /// The digests to compute before the request is sent. The response carries them.
    public var digests: [DigestRequest] = []
    /// The digests to compute after a success that reports a digest of the same kind. The response carries them after
    /// those of `digests`.
    public var digestsIfTold: [DigestRequest] = []
    /// The part of a response that may report these digests.
    public var toldIn = ServerDigest.Source.fields
    /// The number of this request among several in flight; 0 if there is only one.
    public var part = 0

    /// - Parameter traits: The traits; nil means `idempotent` or none, by the method (RFC 9110 §9.2.2).
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

    /// The exact number of bytes of the body, saturated at the largest integer.
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

        /// The server reaches the same state however often it receives the request (RFC 9110 §9.2.2, or because of an
        /// offset or a key).
        public static let idempotent = Traits(rawValue: 1 << 0)
        /// A successful response ends the upload: the file is checked once more before the last bytes are sent.
        public static let completes = Traits(rawValue: 1 << 1)
        /// The URL is a permission in itself: the destination's credentials and headers are not sent there.
        public static let withoutCredentials = Traits(rawValue: 1 << 2)
        /// The server probably keeps the received part of the body if the connection breaks.
        public static let kept = Traits(rawValue: 1 << 3)
        /// The server may send its response for minutes, with a byte now and then, while it works.
        public static let slowResponse = Traits(rawValue: 1 << 4)
    }
}

/// The outcome of an exchange.
public enum ExchangeOutcome: Sendable {
    /// The server's final response. Its body is cut at the transport's limit.
    case answered(Response)
    /// No complete response arrived. `bodySent` bytes of the body were passed to the socket; nil if not even the head
    /// of the request was.
    case broken(UploadFailure, bodySent: ByteCount?)

    /// The failure of the outcome.
    var failure: UploadFailure {
        switch self {
        case .answered(let answer): ResponseClassifier.failure(answer)
        case .broken(let failure, _): failure
        }
    }

    /// A final response (not 1xx), in the form for protocols.
    public struct Response: Sendable {
        /// The status of the server's final response.
        public var status: Int
        /// The header fields in the order in which the server sent them.
        public var fields: HTTPFields
        /// The beginning of the body, up to the transport's limit.
        public var body: [UInt8]
        /// The digests computed for the request's `digests`.
        public var digests: [ComputedDigest]
        /// False if the request had no means of authentication.
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
