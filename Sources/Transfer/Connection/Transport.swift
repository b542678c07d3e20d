public import FerryProtocols
public import HTTPTypes

/// The interface to the network: one request, one response. `HTTPClientTransport` is that to real servers.
public protocol Transport: Sendable {
    /// Sends `request` and reads the whole response. A cancellation of the task closes the connection at once.
    ///
    /// A server can respond before it has received the whole body, for example with a 413; such a response is returned
    /// too. So can be a response with a status of 300 or above whose body did not arrive completely.
    /// - Throws: `TransportError` if the transport has no response to return.
    func perform(_ request: TransportRequest, delegate: (any UploadDelegate)?) async throws(TransportError)
        -> TransportResponse

    /// Closes all connections. The transport must not be used afterwards.
    func shutdown() async
}

extension Transport {
    /// Does nothing: a transport that keeps no connections has nothing to close.
    public func shutdown() async {}
}

/// One HTTP request as it is sent.
public struct TransportRequest: Sendable {
    /// The content of a request.
    public enum Body: Sendable {
        case none
        case bytes([UInt8])
        case streamed(StreamedBody)

        /// The number of bytes; nil if it is unknown before the end.
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

    /// The HTTP method.
    public var method: HTTPRequest.Method
    /// An absolute `http` or `https` URL.
    public var url: String
    /// The header fields in order. The transport adds `Host`, and `Content-Length` or `Transfer-Encoding`.
    public var fields: HTTPFields
    /// The content. Each attempt sends it from its first byte.
    public var body: Body
    /// True if the server can receive the request twice without harm. Such a request is sent again at once if a reused
    /// connection breaks before the response and after at most 256 KiB of its body.
    public var isRepeatable: Bool
    /// True if a break of the connection costs little: the server keeps the received part, or the body is small. A
    /// connection that seems dead is then closed sooner.
    public var breakCostsLittle: Bool {
        get { declaredBreakCostsLittle ?? !body.isStreamed }
        set { declaredBreakCostsLittle = newValue }
    }
    private var declaredBreakCostsLittle: Bool?
    /// True if the server possibly needs minutes for its response, and sends a byte now and then.
    public var responseMayTakeLong = false
    /// The secrets that made the request and are not in it, such as the password of Digest, also to be cut.
    package var hiddenSecrets: [String] = []

    /// - Parameters:
    ///   - isRepeatable: nil derives the value from the method (RFC 9110 §9.2.2).
    ///   - breakCostsLittle: nil means false for a streamed body, and true for any other.
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

/// A limit on bytes per second, shared by all its callers.
public protocol RateLimiter: Sendable {
    /// Returns zero if this number of bytes can be sent now, and records them as sent. Otherwise returns the time to
    /// wait before the next call, and records nothing.
    func delay(beforeSending bytes: ByteCount) -> Duration
    /// The maximum size of a chunk in bytes, so that the rate is even; nil for no limit.
    var chunkLimit: ByteCount? { get }
}

/// A response with its body, or the beginning of a body that is too long or did not arrive completely.
public struct TransportResponse: Sendable {
    /// The status of the final response; interim responses (1xx) are skipped.
    public var status: Int
    /// The header fields as the server sent them, in order.
    public var fields: HTTPFields
    /// The beginning of the body, up to the transport's limit.
    public var body: [UInt8]
    /// False if `body` is only the beginning: the rest was beyond the transport's limit, or did not arrive.
    public var isBodyComplete: Bool
    /// The number of body bytes of the request that were passed to the socket.
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

    /// The response in the form that upload protocols receive.
    package var protocolResponse: ExchangeOutcome.Response {
        ExchangeOutcome.Response(status: status, fields: fields, body: body)
    }
}

/// The reason why no complete response arrived.
public struct TransportError: Error, Hashable, Sendable {
    /// The kind of failure, which determines whether another attempt is safe.
    public enum Reason: Hashable, Sendable {
        case cancelled
        /// A reused connection broke before the response's head arrived. Possibly the server had closed it while it was
        /// idle (RFC 9112 §9.3.1).
        case staleConnection
        /// The connection was closed before a byte of the request was written.
        case unsent
        /// No connection could be made.
        case notConnected
        /// The certificate of the other side was not accepted.
        case notTrusted
        /// The connection broke, stalled or returned data that is not HTTP.
        case broken
        /// The body could not be read, for example because its file changed. The network did not fail.
        case source
    }

    /// The kind of failure, which shows whether the server can have received the request.
    public var reason: Reason
    /// The failure in words for users.
    public var failure: UploadFailure
    /// The number of body bytes of the request that were passed to the socket.
    public var bodySent: ByteCount

    public init(_ reason: Reason, _ failure: UploadFailure, bodySent: ByteCount = 0) {
        self.reason = reason
        self.failure = failure
        self.bodySent = bodySent
    }
}

/// The receiver of the progress of one request's body. Calls come from network threads in order, and must be quick.
public protocol UploadDelegate: Sendable {
    /// Reports that bytes of the body were sent: the other side has acknowledged them (RFC 9293 §3.4), or has responded.
    ///
    /// If the request ends without a response, bytes that left or will still leave this machine count too. Without the
    /// kernel's count of acknowledged bytes (Linux 4.19 and later), written bytes count as sent.
    /// - Parameters:
    ///   - bytesSent: The number of bytes since the last report.
    ///   - totalBytesSent: The number of bytes of the body so far, never more than `totalBytesExpected`.
    ///   - totalBytesExpected: The exact length of the body; nil if it is unknown before the end.
    func didSendBodyData(_ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?)

    /// Reports that the kernel has accepted the last byte of the request. A cancellation no longer withdraws it: the
    /// server possibly receives the whole request.
    func didWriteRequest()

    /// Reports that the last byte of the request was sent, at the latest when the response is complete.
    func didFinishSending()

    /// Reports that the connection broke after `totalBytesSent` bytes had left this machine. Bytes that still waited in
    /// the kernel do not count. Not called if the kernel does not report the number.
    func didBreak(totalBytesSent: ByteCount)
}

extension UploadDelegate {
    public func didWriteRequest() {}
    public func didBreak(totalBytesSent: ByteCount) {}
}
