public import HTTPTypes
public import UploadProtocols

/// The seam to the network: one request out, one answer back. `HTTPClientTransport` is the real one.
public protocol Transport: Sendable {
    /// Sends `request` and reads the whole answer. Cancelling the task closes the connection at once.
    ///
    /// The answer is read even when the body could not be sent to its end: an early 413 is an answer.
    /// - Throws: `TransportError` if no complete answer came.
    func perform(
        _ request: TransportRequest, delegate: (any UploadDelegate)?
    ) async throws(TransportError) -> TransportResponse
}

/// One HTTP request as it goes on the wire.
public struct TransportRequest: Sendable {
    public enum Body: Sendable {
        case none
        case bytes([UInt8])
        case file(FileBody)
    }

    public var method: HTTPRequest.Method
    /// An absolute address, `http` or `https`.
    public var url: String
    public var fields: HTTPFields
    public var body: Body
    /// True if a server may get it twice: then it is sent again when it met a kept connection that was just closing.
    public var isRepeatable: Bool

    /// - Parameter isRepeatable: nil takes it from the method (RFC 9110 §9.2.2).
    public init(
        method: HTTPRequest.Method, url: String, fields: HTTPFields = [:], body: Body = .none,
        isRepeatable: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.isRepeatable = isRepeatable ?? [.get, .head, .options, .put, .delete].contains(method)
    }
}

/// Bytes of a file between a head and a tail; read while they are sent, never held whole.
public struct FileBody: Sendable {
    public var file: SourceFile
    /// What the file must still be, looked at before each piece.
    public var identity: FileIdentity
    /// Offsets in bytes from the start of the file.
    public var range: Range<ByteCount>
    public var prefix: [UInt8]
    public var suffix: [UInt8]
    /// Runs when all but the last piece is out; if it throws, the last piece is not sent.
    public var beforeLastBytes: (@Sendable () async throws(UploadFailure) -> Void)?
    /// Holds the sending back to a rate; nil sends as fast as the link takes it.
    public var pace: (any Pace)?

    public init(
        file: SourceFile, identity: FileIdentity, range: Range<ByteCount>, prefix: [UInt8] = [],
        suffix: [UInt8] = [],
        beforeLastBytes: (@Sendable () async throws(UploadFailure) -> Void)? = nil, pace: (any Pace)? = nil
    ) {
        self.file = file
        self.identity = identity
        self.range = range
        self.prefix = prefix
        self.suffix = suffix
        self.beforeLastBytes = beforeLastBytes
        self.pace = pace
    }

    /// The exact number of bytes on the wire; the largest number there is if it is larger.
    public var length: ByteCount {
        let (length, overflow) = (range.upperBound - range.lowerBound)
            .addingReportingOverflow(ByteCount(prefix.count + suffix.count))
        return overflow ? .max : length
    }
}

/// A limit on bytes per second, shared by whoever asks it.
public protocol Pace: Sendable {
    /// Zero if `bytes` may be sent now: then they are booked. Else how long to wait before asking again.
    func delay(beforeSending bytes: ByteCount) -> Duration
    /// The most bytes to send in one piece so that the rate stays even; nil if there is no limit now.
    var pieceLimit: ByteCount? { get }
}

public struct TransportResponse: Sendable {
    public var status: Int
    public var fields: HTTPFields
    /// The first MiB at most.
    public var body: [UInt8]
    /// Body bytes of the request that were handed to the socket.
    public var bodySent: ByteCount

    public init(status: Int, fields: HTTPFields = [:], body: [UInt8] = [], bodySent: ByteCount = 0) {
        self.status = status
        self.fields = fields
        self.body = body
        self.bodySent = bodySent
    }
}

/// Why no complete answer came.
public struct TransportError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        case cancelled
        /// The connection broke while nothing of an answer had arrived, and it had served a request before: the server
        /// may have closed it while it was idle (RFC 9112 §9.3.1).
        case staleConnection
        /// The connection was gone before anything of the request was written.
        case unsent
        /// No connection could be made.
        case notConnected
        /// The connection broke, stalled or brought something that is not HTTP.
        case broken
        /// The file, not the network.
        case source
    }

    public var reason: Reason
    public var failure: UploadFailure
    /// Body bytes of the request that were handed to the socket.
    public var bodySent: ByteCount

    public init(_ reason: Reason, _ failure: UploadFailure, bodySent: ByteCount = 0) {
        self.reason = reason
        self.failure = failure
        self.bodySent = bodySent
    }
}
