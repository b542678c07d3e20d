package import FerryProtocols

/// The bytes of a body in order, for code that reads a body without sending it, for example to compute a hash.
package struct BodyChunks: AsyncSequence, Sendable {
    private static let size: ByteCount = 1 << 20

    private let segments: [StreamedBody.Segment]
    private let labels: [String?]

    /// - Parameter labels: For each segment, the label that begins the text of a failure; nil for none.
    package init(_ segments: [StreamedBody.Segment], labels: [String?]) {
        self.segments = segments
        self.labels = labels
    }

    package func makeAsyncIterator() -> Iterator { Iterator(rest: Array(zip(segments, labels))[...]) }

    /// Splits a range of a file into consecutive ranges of at most 1 MiB.
    package static func chunks(of range: Range<ByteCount>) -> some Sequence<Range<ByteCount>> {
        stride(from: range.lowerBound, to: range.upperBound, by: Int(size)).lazy.map { start in
            // Compares the remaining length with `size`, because `start + size` could overflow.
            start..<(range.upperBound - start > size ? start + size : range.upperBound)
        }
    }

    package struct Iterator: AsyncIteratorProtocol {
        private enum Source {
            case bytes([UInt8], from: Int)
            case file(SourceFile, FileIdentity, Range<ByteCount>)
            case stream(any AsyncIteratorProtocol<[UInt8], any Error>)
        }

        fileprivate var rest: ArraySlice<(StreamedBody.Segment, String?)>
        private var label: String?
        private var source: Source?

        fileprivate init(rest: ArraySlice<(StreamedBody.Segment, String?)>) { self.rest = rest }

        /// Returns the next chunk, never empty: as the stream gives it, or of at most 1 MiB; nil at the end.
        package mutating func next() async throws -> [UInt8]? {
            while true {
                try Task.checkCancellation()
                switch source {
                case nil:
                    guard try await begin() else { return nil }
                case .bytes(let bytes, let start):
                    guard start < bytes.count else {
                        source = nil
                        continue
                    }
                    let end = Swift.min(start + Int(size), bytes.count)
                    source = .bytes(bytes, from: end)
                    return start == 0 && end == bytes.count ? bytes : Array(bytes[start..<end])
                case .file(let file, let identity, let range):
                    let chunk = chunks(of: range).first { _ in true } ?? range
                    source =
                        chunk.upperBound < range.upperBound
                        ? .file(file, identity, chunk.upperBound..<range.upperBound) : nil
                    let bytes: [UInt8]
                    do throws(UploadFailure) { bytes = try await file.bytes(chunk, of: identity) } catch {
                        try Task.checkCancellation()
                        throw error.inPart(label)
                    }
                    if !bytes.isEmpty { return bytes }
                case .stream(var iterator):
                    let chunk = try await iterator.next()
                    source = chunk == nil ? nil : .stream(iterator)
                    if let chunk, !chunk.isEmpty { return chunk }
                }
            }
        }

        private mutating func begin() async throws -> Bool {
            guard let (segment, label) = rest.popFirst() else { return false }
            self.label = label
            switch segment {
            case .bytes(let bytes): source = .bytes(bytes, from: 0)
            case .file(let file, let identity, let range): source = .file(file, identity, range)
            case .stream(let stream): source = .stream(try await stream.open().makeAsyncIterator())
            }
            return true
        }
    }
}

extension SourceFile {
    /// Returns the bytes of a range of the file: from memory if a small file was read a moment ago, or on another
    /// thread.
    /// - Throws: `UploadFailure`; `sourceChanged` if the file does not match `identity`, also after the read.
    package func bytes(_ range: Range<ByteCount>, of identity: FileIdentity) async throws(UploadFailure)
        -> [UInt8]
    {
        if let bytes = recentBytes(range, of: identity) { return Array(bytes) }
        return try await readers.run(path, on: self.identity.device) { () throws(UploadFailure) in
            var bytes = [UInt8](repeating: 0, count: range.count)
            let result = bytes.withUnsafeMutableBytes { space in
                Result { () throws(UploadFailure) in try self.read(into: space, at: range.lowerBound) }
            }
            try result.get()
            try self.check(identity)
            return bytes
        }
    }
}
