public import FerryProtocols

extension StreamedBody {
    /// The bytes of the body in order, for a transport of one's own: pieces of at most 1 MiB, unless a stream brings more
    /// at once, and none of them empty.
    ///
    /// Files are read off the caller's thread while the pieces are asked for. `rateLimiter` is waited for, and `beforeLastBytes`
    /// runs before the last piece is handed out.
    ///
    /// The sequence throws `UploadFailure` if a file is no longer what it was or cannot be read, or if `beforeLastBytes`
    /// objects; what a caller's own stream throws; `CancellationError`.
    public var chunks: some AsyncSequence<[UInt8], any Error> & Sendable { SentChunks(body: self) }
}

extension TransportRequest.Body {
    /// The bytes of the body in order, whatever kind of body it is; nothing for `none`. As `StreamedBody.chunks`.
    public var chunks: some AsyncSequence<[UInt8], any Error> & Sendable {
        switch self {
        case .none: SentChunks(body: StreamedBody([]))
        case .bytes(let bytes): SentChunks(body: StreamedBody([.bytes(bytes)]))
        case .streamed(let body): SentChunks(body: body)
        }
    }

    /// The whole body in memory, as a test's transport wants it.
    ///
    /// - Parameter limit: The most bytes to hold.
    /// - Throws: `TransportError` (`source`) for a body that cannot be read or has more than `limit` bytes; `cancelled`.
    public func bytes(limit: ByteCount = 256 << 20) async throws(TransportError) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await chunk in chunks {
                bytes += chunk
                guard ByteCount(bytes.count) <= limit else {
                    throw UploadFailure(
                        .permanent, "the body has more than the \(limit) bytes that may be held")
                }
            }
        } catch {
            throw TransportError(reading: error)
        }
        return bytes
    }
}

extension TransportError {
    /// Turns an error thrown while a body is read into the error that a transport throws.
    public init(reading error: any Error) {
        switch error {
        case is CancellationError: self.init(.cancelled, UploadFailure(.network, "stopped"))
        case let failure as UploadFailure: self.init(.source, failure)
        default: self.init(.source, UploadFailure(.permanent, "the body cannot be read: \(error)"))
        }
    }
}

/// A body's chunks with what stands before each on its way: its rateLimiter and, before the last, the caller's check.
private struct SentChunks: AsyncSequence, Sendable {
    let body: StreamedBody

    func makeAsyncIterator() -> Iterator {
        let labels = [String?](repeating: nil, count: body.segments.count)
        return Iterator(body: body, chunks: BodyChunks(body.segments, labels: labels).makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        private enum Position {
            case begin
            /// Read, and not handed out: whether it is the last is known when the next is read.
            case next([UInt8]?)
        }

        private let body: StreamedBody
        private var chunks: BodyChunks.Iterator
        private var position = Position.begin

        fileprivate init(body: StreamedBody, chunks: BodyChunks.Iterator) {
            self.body = body
            self.chunks = chunks
        }

        mutating func next() async throws -> [UInt8]? {
            let chunk: [UInt8]?
            switch position {
            case .begin:
                chunk = try await chunks.next()
                // A body without a byte has a check, too.
                if chunk == nil { try await body.beforeLastBytes?() }
            case .next(let read): chunk = read
            }
            guard let chunk else {
                position = .next(nil)
                return nil
            }
            let following = try await chunks.next()
            position = .next(following)
            while let delay = body.rateLimiter?.delay(beforeSending: ByteCount(chunk.count)), delay > .zero {
                try await Task.sleep(for: delay)
            }
            if following == nil { try await body.beforeLastBytes?() }
            return chunk
        }
    }
}
