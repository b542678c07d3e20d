public import FerryProtocols
public import FerryTransfer

extension MultipartFormData {
    /// Opens every file off the caller's thread, and returns the body with its length, for one attempt.
    /// - Throws: `UploadFailure` of the first part that cannot be sent, with its number and its name.
    public func open() async throws(UploadFailure) -> StreamedBody {
        try await OpenedForm(self).body
    }

    /// Returns the exact length of the body in bytes, with the headers of the parts and the boundaries; nil if the
    /// length of a stream is unknown.
    /// - Throws: The errors of `open()`.
    public func length() async throws(UploadFailure) -> ByteCount? { try await OpenedForm(self).body.length }

    /// Returns the number of bytes of all parts without headers and boundaries; nil if the length of a stream is
    /// unknown. The request's `Content-Length` is `length()`, which is greater.
    /// - Throws: The errors of `open()`.
    public func contentLength() async throws(UploadFailure) -> ByteCount? {
        try await OpenedForm(self).contentLength
    }

    /// Opens the form, and returns the body to send. A small form is read into memory, so that one write sends it.
    /// - Parameter memoryThreshold: The size, in bytes, below which a form is read into memory. Any other form, and one
    ///   of unknown length, is streamed from its sources. Nothing is ever written to disk.
    /// - Throws: The errors of `open()` and `encode(limit:)`.
    public func body(memoryThreshold: ByteCount = 1 << 20) async throws -> TransportRequest.Body {
        let form = try await opened()
        guard let length = form.body.length, length < memoryThreshold else { return .streamed(form.body) }
        return .bytes(try await form.bytes(limit: length))
    }

    /// Returns the whole body, the same bytes as on the wire.
    /// - Parameter limit: The maximum number of bytes in memory.
    /// - Throws: The errors of `open()`; `UploadFailure` if the form is over the limit, if a file changes during the
    ///   read, or if a stream differs from its declared length; `CancellationError`.
    public func encode(limit: ByteCount = 256 << 20) async throws -> [UInt8] {
        try await opened().bytes(limit: limit)
    }

    /// Returns the body as a sequence of chunks that are read on demand. The bytes are the same as on the wire.
    /// - Throws: The errors of `open()`. The sequence throws the errors of `encode(limit:)` except for the limit.
    public func chunks() async throws(UploadFailure) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        try await OpenedForm(self).chunks
    }

    /// Writes the body, the same bytes as on the wire, to a new file. Only its owner may read the file, because a form
    /// may contain secrets. After a failure the file is removed.
    /// - Returns: The number of written bytes.
    /// - Throws: `UploadFailure` (`permanent`) if `path` exists or cannot be written; else the errors of
    ///   `encode(limit:)`, except for the limit.
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

    /// Writes the body to a new file that only its owner may read. After a failure the file is removed.
    /// - Parameter path: The path of the file, not a URL.
    /// - Returns: The number of written bytes.
    /// - Throws: `UploadFailure` (`permanent`) if `path` is a URL or empty; otherwise the errors of `write(to:)` with a
    ///   `LocalPath`.
    @discardableResult
    public func write(to path: String) async throws -> ByteCount {
        try await write(to: LocalPath(notAnAddress: path))
    }

    /// Opens the files. If the task is cancelled, throws `CancellationError` instead of the failure of a file.
    private func opened() async throws -> OpenedForm {
        do throws(UploadFailure) { return try await OpenedForm(self) } catch {
            try Task.checkCancellation()
            throw error
        }
    }
}

extension UploadBody {
    /// Returns a body with the bytes of a form. The form's content type replaces the request's `Content-Type`.
    /// - Parameter memoryThreshold: The size, in bytes, below which the form is read into memory. Any other form is
    ///   streamed.
    public static func multipart(_ form: MultipartFormData, memoryThreshold: ByteCount = 1 << 20)
        -> UploadBody
    {
        UploadBody(
            contentType: .required(form.contentType), canBegin: { form.canBegin },
            open: { try await form.body(memoryThreshold: memoryThreshold) })
    }
}

extension MultipartFormData {
    /// False if a part is a stream that can be read only once and was read.
    fileprivate var canBegin: Bool {
        parts.allSatisfy { part in
            if case .stream(let stream) = part.content { stream.canBegin } else { true }
        }
    }
}
