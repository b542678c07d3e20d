public import FerryProtocols

extension StreamedBody {
    /// The bytes of the body in order, in chunks for a custom transport: never empty, and of at most 1 MiB, unless a
    /// stream yields a larger one.
    ///
    /// Files are read on another thread. The sequence waits for `rateLimiter` before each chunk, and runs
    /// `beforeLastBytes` before the last one.
    ///
    /// The sequence throws `UploadFailure` if a file has changed or cannot be read, the error of `beforeLastBytes` or
    /// of a stream, and `CancellationError`.
    public var chunks: some AsyncSequence<[UInt8], any Error> & Sendable { SentChunks(body: self) }
}

extension TransportRequest.Body {
    /// The bytes of the body in order, as `StreamedBody.chunks`.
    public var chunks: some AsyncSequence<[UInt8], any Error> & Sendable {
        switch self {
        case .none: SentChunks(body: StreamedBody([]))
        case .bytes(let bytes): SentChunks(body: StreamedBody([.bytes(bytes)]))
        case .streamed(let body): SentChunks(body: body)
        }
    }

    /// Reads the whole body into memory, for a transport in a test.
    ///
    /// - Throws: `TransportError`: `cancelled`, or `source` if the body cannot be read or has more than `limit` bytes.
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

private struct SentChunks: AsyncSequence, Sendable {
    let body: StreamedBody

    func makeAsyncIterator() -> Iterator {
        let labels = [String?](repeating: nil, count: body.segments.count)
        return Iterator(body: body, chunks: BodyChunks(body.segments, labels: labels).makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        private enum Position {
            case begin
            /// The next chunk, read in advance to know which chunk is the last; nil at the end.
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
                // `beforeLastBytes` also runs for an empty body.
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
