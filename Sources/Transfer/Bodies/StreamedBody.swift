public import FerryProtocols

/// A body that is read while it is sent, so that a large file or stream is never completely in memory.
public struct StreamedBody: Sendable {
    /// A part of a body. The parts follow each other without a separator.
    public enum Segment: Sendable {
        case bytes([UInt8])
        /// A range of a file in bytes. Sending fails if the file no longer matches `identity`.
        case file(SourceFile, identity: FileIdentity, range: Range<ByteCount>)
        case stream(BodyStream)
    }

    /// The parts in sending order.
    public var segments: [Segment]
    /// A check that runs before the last chunk, each time that the body is sent. If it throws, the chunk is not sent.
    ///
    /// If the last part is a stream of unknown length, `HTTPClientTransport` sends all bytes before the check.
    public var beforeLastBytes: (@Sendable () async throws(UploadFailure) -> Void)?
    /// The limiter of the sending rate; nil for full speed.
    public var rateLimiter: (any RateLimiter)?

    public init(
        _ segments: [Segment], beforeLastBytes: (@Sendable () async throws(UploadFailure) -> Void)? = nil,
        rateLimiter: (any RateLimiter)? = nil
    ) {
        self.segments = segments
        self.beforeLastBytes = beforeLastBytes
        self.rateLimiter = rateLimiter
    }

    /// The exact number of bytes on the wire, at most the largest integer; nil if the length of a stream is unknown.
    public var length: ByteCount? {
        segments.reduce(0) { sum, segment in
            guard let sum, let length = segment.length else { return nil }
            let (total, overflow) = sum.addingReportingOverflow(length)
            return overflow ? .max : total
        }
    }
}

extension StreamedBody.Segment {
    var length: ByteCount? {
        switch self {
        case .bytes(let bytes): ByteCount(bytes.count)
        case .file(_, _, let range): range.upperBound - range.lowerBound
        case .stream(let stream): stream.length
        }
    }
}
