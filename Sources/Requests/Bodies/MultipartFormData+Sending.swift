public import FerryProtocols
public import FerryTransfer

extension MultipartFormData {
    /// Opens every file, off the caller's thread, and computes the exact length. Called once for each attempt.
    /// - Throws: `UploadFailure` of the first part that cannot be sent: it names the part by its place and its name.
    public func open() async throws(UploadFailure) -> StreamedBody {
        try await OpenedForm(self).body
    }

    /// The exact number of bytes on the wire, nil if a stream does not know its own.
    /// - Throws: as `open()`.
    public func length() async throws(UploadFailure) -> ByteCount? { try await OpenedForm(self).body.length }

    /// Bytes of all parts without headers and boundaries, nil if a stream does not know its own. This is not the
    /// request's `Content-Length`: that is `length()`.
    /// - Throws: as `open()`.
    public func contentLength() async throws(UploadFailure) -> ByteCount? {
        try await OpenedForm(self).contentLength
    }

    /// Opens the form, and reads it into memory if it is small: one write then sends it.
    /// - Parameter memoryThreshold: Bytes. A form with fewer is read; any other, and one without a length, is streamed
    ///   from its sources. Nothing is ever spilled to disk.
    /// - Throws: as `open()` and `encode(limit:)`.
    public func body(memoryThreshold: ByteCount = 1 << 20) async throws -> TransportRequest.Body {
        let form = try await opened()
        guard let length = form.body.length, length < memoryThreshold else { return .streamed(form.body) }
        return .bytes(try await form.bytes(limit: length))
    }

    /// The whole body, the same bytes as on the wire.
    /// - Parameter limit: Bytes that may be held in memory.
    /// - Throws: `UploadFailure` as `open()`, for a form over the limit, for a file that changes while it is read and
    ///   for a stream that is not as long as it declared; `CancellationError`.
    public func encode(limit: ByteCount = 256 << 20) async throws -> [UInt8] {
        try await opened().bytes(limit: limit)
    }

    /// The body piece by piece, the same bytes as on the wire, read as they are asked for.
    /// - Throws: as `open()`; the sequence throws as `encode(limit:)`, but knows no limit.
    public func chunks() async throws(UploadFailure) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        try await OpenedForm(self).chunks
    }

    /// Writes the body, the same bytes as on the wire, to a new file that only its owner may read: a form may hold
    /// secrets. If that fails the file is removed.
    /// - Returns: How many bytes were written.
    /// - Throws: `UploadFailure` (`permanent`) if there is something at `path` or it cannot be written; else as
    ///   `encode(limit:)`.
    @discardableResult
    public func write(to path: LocalPath) async throws -> ByteCount {
        let form = try await opened()
        let file = try await NewFile.create(path)
        do {
            var count: ByteCount = 0
            for try await chunk in form.chunks {
                try await file.write(chunk)
                count += ByteCount(chunk.count)
            }
            try await file.close()
            return count
        } catch {
            await file.remove()
            try Task.checkCancellation()
            throw error
        }
    }

    /// Writes the body to a path, not to an address. The rest is as for a `LocalPath`.
    @discardableResult
    public func write(to path: String) async throws -> ByteCount {
        try await write(to: LocalPath(notAnAddress: path))
    }

    /// Opens the files. If the task is cancelled the error says that, not that a file could not be opened.
    private func opened() async throws -> OpenedForm {
        do throws(UploadFailure) { return try await OpenedForm(self) } catch {
            try Task.checkCancellation()
            throw error
        }
    }
}

extension UploadBody {
    /// A form, streamed from its parts' sources, with its own content type whatever the request's headers say.
    /// - Parameter memoryThreshold: Bytes; see `MultipartFormData.body(memoryThreshold:)`.
    public static func multipart(_ form: MultipartFormData, memoryThreshold: ByteCount = 1 << 20)
        -> UploadBody
    {
        UploadBody(
            contentType: .required(form.contentType), canBegin: { form.canBegin },
            open: { try await form.body(memoryThreshold: memoryThreshold) })
    }
}

extension MultipartFormData {
    /// False if a stream among the parts could be read once only, and was.
    fileprivate var canBegin: Bool {
        parts.allSatisfy { part in
            if case .stream(let stream) = part.content { stream.canBegin } else { true }
        }
    }
}
