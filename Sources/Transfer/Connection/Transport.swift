public import FerryProtocols
public import HTTPTypes

/// The seam to the network: one request out, one answer back. `HTTPClientTransport` is the real one.
public protocol Transport: Sendable {
    /// Sends `request` and reads the whole answer. Cancelling the task closes the connection at once.
    ///
    /// The answer is read even when the body could not be sent to its end: an early 413 is an answer.
    /// - Throws: `TransportError` if no complete answer came.
    func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse

    /// Closes all connections. No request may be made afterwards.
    func shutdown() async
}

extension Transport {
    /// Does nothing: a transport that keeps no connections has nothing to close.
    public func shutdown() async {}
}

/// One HTTP request as it goes on the wire.
public struct TransportRequest: Sendable {
    /// The content of a request.
    public enum Body: Sendable {
        case none
        case bytes([UInt8])
        case streamed(StreamedBody)

        /// Bytes; nil if nobody knows before the end.
        public var length: ByteCount? {
            switch self {
            case .none: 0
            case .bytes(let bytes): ByteCount(bytes.count)
            case .streamed(let body): body.length
            }
        }

        fileprivate var isStreamed: Bool {
            if case .streamed = self { true } else { false }
        }
    }

    /// The method on the wire.
    public var method: HTTPRequest.Method
    /// An absolute address, `http` or `https`.
    public var url: String
    /// The header fields in order. The transport adds `Host` and the body's length or `Transfer-Encoding`.
    public var fields: HTTPFields
    /// Opened for this attempt alone.
    public var body: Body
    /// True if a server may get it twice: then it is sent again when it met a kept connection that was just closing.
    public var isRepeatable: Bool
    /// True if little is lost should the connection break: the server keeps what arrived, or there is not much of it.
    /// Then a connection that seems to be dead is given up sooner.
    public var breakCostsLittle: Bool {
        get { declaredBreakCostsLittle ?? !body.isStreamed }
        set { declaredBreakCostsLittle = newValue }
    }
    /// Nil takes it from the body.
    private var declaredBreakCostsLittle: Bool?
    /// True if the server may send its answer for minutes, a byte now and then, while it works.
    public var answerMayTakeLong = false

    /// - Parameters:
    ///   - isRepeatable: nil takes it from the method (RFC 9110 §9.2.2).
    ///   - breakCostsLittle: nil for all that is not streamed.
    public init(
        method: HTTPRequest.Method, url: String, fields: HTTPFields = [:], body: Body = .none,
        isRepeatable: Bool? = nil, breakCostsLittle: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.isRepeatable = isRepeatable ?? [.get, .head, .options, .put, .delete].contains(method)
        declaredBreakCostsLittle = breakCostsLittle
    }
}

/// A limit on bytes per second, shared by whoever asks it.
public protocol RateLimiter: Sendable {
    /// Zero if `bytes` may be sent now: then they are booked. Else how long to wait before asking again.
    func delay(beforeSending bytes: ByteCount) -> Duration
    /// The most bytes to send in one piece so that the rate stays even; nil if there is no limit now.
    var chunkLimit: ByteCount? { get }
}

/// An answer, with its body as far as it is kept.
public struct TransportResponse: Sendable {
    /// The status of the final answer: interim answers (1xx) are not told.
    public var status: Int
    /// The fields as the server sent them, in order.
    public var fields: HTTPFields
    /// The beginning of the body, as much as the transport keeps.
    public var body: [UInt8]
    /// False if the body was longer than what is kept.
    public var isBodyComplete: Bool
    /// Body bytes of the request that were handed to the socket.
    public var bodySent: ByteCount

    public init(
        status: Int, fields: HTTPFields = [:], body: [UInt8] = [], isBodyComplete: Bool = true,
        bodySent: ByteCount = 0
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.isBodyComplete = isBodyComplete
        self.bodySent = bodySent
    }

    /// The answer as the protocols take it.
    package var answer: ExchangeOutcome.Response {
        ExchangeOutcome.Response(status: status, fields: fields, body: body)
    }
}

/// The reason why no complete answer came.
public struct TransportError: Error, Hashable, Sendable {
    /// The kind of end, which says whether another attempt is safe.
    public enum Reason: Hashable, Sendable {
        case cancelled
        /// The connection broke while nothing of an answer had arrived, and it had served a request before: the server
        /// may have closed it while it was idle (RFC 9112 §9.3.1).
        case staleConnection
        /// The connection was gone before anything of the request was written.
        case unsent
        /// No connection could be made.
        case notConnected
        /// The other side does not prove to be who it should be: its certificate is not accepted.
        case notTrusted
        /// The connection broke, stalled or brought something that is not HTTP.
        case broken
        /// The file, not the network.
        case source
    }

    /// Says whether the server can have seen the request.
    public var reason: Reason
    /// The same in the words a person reads.
    public var failure: UploadFailure
    /// Body bytes of the request that were handed to the socket.
    public var bodySent: ByteCount

    public init(_ reason: Reason, _ failure: UploadFailure, bodySent: ByteCount = 0) {
        self.reason = reason
        self.failure = failure
        self.bodySent = bodySent
    }
}
