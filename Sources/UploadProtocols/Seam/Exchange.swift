public import HTTPTypes

/// The description of one HTTP request, which an upload protocol or a `DestinationCheck` makes and other code sends.
public struct Exchange: Hashable, Sendable {
    /// The content of a request. File ranges are offsets in bytes from the start of the file.
    public enum Body: Hashable, Sendable {
        case none
        case bytes([UInt8])
        /// The content is `prefix`, then the bytes of the file in `range`, then `suffix`.
        case file(range: Range<ByteCount>, prefix: [UInt8] = [], suffix: [UInt8] = [])
    }

    /// The HTTP method. It is fixed by the upload protocol, or set in the destination's options.
    public var method: HTTPRequest.Method
    /// The absolute URL of the request.
    public var url: String
    /// The header fields that the protocol sets. The sender adds others, such as credentials.
    public var fields: HTTPFields
    /// The content of the request. Its size is `contentLength`.
    public var body: Body
    /// Facts that the sender of the request needs, such as whether the request can be repeated.
    public var traits: Traits
    /// The state of the upload to write to disk before the last bytes of the request are sent; nil to write nothing. If
    /// the response is lost, a later attempt reads there that the server possibly has the whole file.
    public var markBeforeLastBytes: UploadResource?
    /// The digests of the file to compute before the request is sent, into the `digests` of the response.
    public var digests: [DigestRequest] = []
    /// The `digests` that the next request of the same `part` will probably have. They are computed while this request is
    /// sent, if it has `digests` itself.
    public var nextDigests: [DigestRequest] = []
    /// The digests of the file to compute after a successful response, each only if the response reports one of the
    /// same algorithm. They become the last elements of the response's `digests`.
    public var digestsIfReported: [DigestRequest] = []
    /// The part of the response that is searched for a digest from the server, for `digestsIfReported`.
    public var reportedIn = ServerDigest.Source.fields
    /// The number of the part that distinguishes this request from others in flight; 0 if it has none.
    public var part = 0

    /// - Parameter traits: The traits; nil means `idempotent` for an idempotent method (RFC 9110 §9.2.2), or else none.
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
    /// Facts about a request that its sender needs, such as whether the request can be repeated.
    public struct Traits: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The request can be sent again, because of its method (RFC 9110 §9.2.2), an offset or an idempotency key. The
        /// sender may then repeat it by itself. Without this trait, a break of a request that completes the upload leaves
        /// the outcome unknown.
        public static let idempotent = Traits(rawValue: 1 << 0)
        /// A successful response completes the upload. The local file is checked for changes before its last bytes
        /// are sent.
        public static let completes = Traits(rawValue: 1 << 1)
        /// The request is sent without the destination's credentials and header fields, if the URL grants access.
        public static let withoutCredentials = Traits(rawValue: 1 << 2)
        /// If the connection breaks, the server probably keeps the received bytes of the body.
        public static let kept = Traits(rawValue: 1 << 3)
        /// The response possibly takes minutes, with only single bytes from time to time.
        public static let slowResponse = Traits(rawValue: 1 << 4)
        /// The mark of `markBeforeLastBytes` does no harm if the request is never sent, because a later attempt compares
        /// the content. It may then be written before the head, so that a small body follows the head at once.
        public static let mayBeMarkedEarly = Traits(rawValue: 1 << 5)
    }
}

/// The outcome of one HTTP request.
public enum ExchangeOutcome: Sendable {
    /// The final response of the server, with only the beginning of a very long body.
    case responded(Response)
    /// No complete response of the server arrived. `bodySent` is the number of bytes of the body that were passed to
    /// the socket; nil if the request did not reach the server, for example because a captive portal responded instead.
    case broken(UploadFailure, bodySent: ByteCount?)

    /// The failure for this outcome, which must not be a successful response.
    var failure: UploadFailure {
        switch self {
        case .responded(let response): ResponseClassifier.failure(response)
        case .broken(let failure, _): failure
        }
    }

    /// A final response of the server (not 1xx).
    public struct Response: Sendable {
        /// The HTTP status code of the response.
        public var status: Int
        /// The header fields of the response, in the order of the server.
        public var fields: HTTPFields
        /// The body of the response, or its beginning up to the transport's limit.
        public var body: [UInt8]
        /// The computed digests: those of the request's `digests`, followed by those of its `digestsIfReported`.
        public var digests: [ComputedDigest]
        /// False if the request was sent without credentials.
        public var carriedCredentials = true

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
