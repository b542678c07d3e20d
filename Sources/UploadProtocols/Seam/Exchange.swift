public import HTTPTypes

/// One HTTP request a protocol wants made, described and not sent.
public struct Exchange: Hashable, Sendable {
    /// The content of a request. File ranges are offsets in bytes from the start of the file.
    public enum Body: Hashable, Sendable {
        case none
        case bytes([UInt8])
        /// `prefix`, then the bytes of the file in `range`, then `suffix`, with nothing between.
        case file(range: Range<ByteCount>, prefix: [UInt8] = [], suffix: [UInt8] = [])
    }

    /// The method of the protocol, or that of the destination's options.
    public var method: HTTPRequest.Method
    /// An absolute address.
    public var url: String
    /// The protocol's header fields; the session adds its own.
    public var fields: HTTPFields
    /// The content, whose size is `contentLength`.
    public var body: Body
    /// The facts about the request that its sender needs.
    public var traits: Traits
    /// The resource that must be durable before the last bytes are sent, for a request whose outcome cannot be asked
    /// for later.
    public var markBeforeLastBytes: UploadResource?
    /// Computed before the request is sent; they come back with the answer.
    public var digests: [DigestRequest] = []
    /// Computed once the answer has come, where it is a success that tells a digest of the same kind; they come back
    /// with it, behind those of `digests`.
    public var digestsIfTold: [DigestRequest] = []
    /// The place in a response that would hold them.
    public var toldIn = ServerDigest.Source.fields
    /// The number of this request among several in flight; 0 if there is only one.
    public var part = 0

    /// - Parameter traits: `idempotent` or none if they are left out, as RFC 9110 §9.2.2 has it for the method.
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

    /// The exact number of bytes of the body; the largest number there is if it is larger.
    public var contentLength: ByteCount {
        switch body {
        case .none: 0
        case .bytes(let bytes): ByteCount(bytes.count)
        case .file(let range, let prefix, let suffix):
            .sum(range.upperBound - range.lowerBound, ByteCount(prefix.count + suffix.count))
        }
    }

    /// The number of the file's bytes that are sent once `sent` bytes of the body are.
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

        /// The server ends up in the same state however often it gets the request (RFC 9110 §9.2.2, or made so by an
        /// offset or a key).
        public static let idempotent = Traits(rawValue: 1 << 0)
        /// A successful response ends the upload: the file is checked once more before the last bytes go out.
        public static let completes = Traits(rawValue: 1 << 1)
        /// The address is a permission in itself: the destination's credentials and headers do not go there.
        public static let withoutCredentials = Traits(rawValue: 1 << 2)
        /// The server is believed to keep what arrives of the body, should the connection break.
        public static let kept = Traits(rawValue: 1 << 3)
        /// The server may send its response for minutes, a byte now and then, while it works.
        public static let slowResponse = Traits(rawValue: 1 << 4)
    }
}

/// The outcome of an exchange.
public enum ExchangeOutcome: Sendable {
    /// The server's final answer. Its body is cut at a limit that the transport sets.
    case answered(Response)
    /// No complete answer came. `bodySent` bytes of the body were handed to the socket; nil if nothing of the request
    /// was, not even its head.
    case broken(UploadFailure, bodySent: ByteCount?)

    /// The failure that the reply stands for.
    var failure: UploadFailure {
        switch self {
        case .answered(let answer): ResponseClassifier.failure(answer)
        case .broken(let failure, _): failure
        }
    }

    /// A final answer (not 1xx), as far as protocols read it.
    public struct Response: Sendable {
        /// The status of the server's final response.
        public var status: Int
        /// The header fields in the order in which the server sent them.
        public var fields: HTTPFields
        /// Its beginning, up to the transport's limit.
        public var body: [UInt8]
        /// The digests computed for the request, as its `digests` asked.
        public var digests: [ComputedDigest]
        /// False if the request had nothing that could sign it in.
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
