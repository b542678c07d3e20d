public import FerryProtocols

/// A body that is read while it is sent, never held whole.
public struct StreamedBody: Sendable {
    /// A part of a body. Parts follow each other with nothing between.
    public enum Segment: Sendable {
        case bytes([UInt8])
        /// A range of a file, in bytes from its start, as long as the file is what `identity` says.
        case file(SourceFile, identity: FileIdentity, range: Range<ByteCount>)
        case stream(BodyStream)
    }

    /// The parts in the order they are sent.
    public var segments: [Segment]
    /// Runs once when all but the last piece is out; if it throws, the last piece is not sent. What ends the body is
    /// held back until then also if a stream brings it.
    public var beforeLastBytes: (@Sendable () async throws(UploadFailure) -> Void)?
    /// Holds the sending back to a rate; nil sends as fast as the link takes it.
    public var rateLimiter: (any RateLimiter)?

    public init(
        _ segments: [Segment], beforeLastBytes: (@Sendable () async throws(UploadFailure) -> Void)? = nil,
        rateLimiter: (any RateLimiter)? = nil
    ) {
        self.segments = segments
        self.beforeLastBytes = beforeLastBytes
        self.rateLimiter = rateLimiter
    }

    /// The exact number of bytes on the wire, nil if a stream does not know its own; the largest number there is if
    /// it is larger.
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
