public import FerryProtocols
public import FerryTransfer

extension MultipartFormData {
    /// Opens every file off the caller's thread, and returns the body for one attempt to send the form.
    /// - Throws: `UploadFailure` that names the first part that cannot be sent by its number and its name.
    public func open() async throws(UploadFailure) -> StreamedBody {
        try await OpenedForm(self).body
    }

    /// Returns the number of bytes of the whole body; nil if the length of a stream is unknown.
    /// - Throws: The errors of `open()`.
    public func length() async throws(UploadFailure) -> ByteCount? { try await OpenedForm(self).body.length }

    /// Returns the number of bytes in all parts, without boundaries and headers; nil if the length of a stream is
    /// unknown.
    /// - Throws: The errors of `open()`.
    public func contentLength() async throws(UploadFailure) -> ByteCount? {
        try await OpenedForm(self).contentLength
    }

    /// Opens the form, and returns the body to send, streamed from its sources or in memory. Nothing is written to
    /// disk.
    /// - Parameter memoryThreshold: The size below which a form of known length is read into memory, and sent by one
    ///   write.
    /// - Throws: `UploadFailure` if a part cannot be sent, if a file changes during the read, or if a stream differs
    ///   from its declared length. `CancellationError` if the task is cancelled.
    public func body(memoryThreshold: ByteCount = 1 << 20) async throws -> TransportRequest.Body {
        let form = try await opened()
        guard let length = form.body.length, length < memoryThreshold else { return .streamed(form.body) }
        return .bytes(try await form.bytes(limit: length))
    }

    /// Returns the whole body, as it is sent.
    /// - Throws: `UploadFailure` if a part cannot be sent or read as declared, or if the body exceeds the limit;
    ///   `CancellationError`.
    public func encode(limit: ByteCount = 256 << 20) async throws -> [UInt8] {
        try await opened().bytes(limit: limit)
    }

    /// Returns the body as a sequence of chunks that are read on demand.
    /// - Throws: The errors of `open()`. The sequence throws those of `encode(limit:)`.
    public func chunks() async throws(UploadFailure) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        try await OpenedForm(self).chunks
    }

    /// Writes the body to a new file that only its owner can read, because a form can contain secrets. If writing
    /// fails, the file is removed.
    /// - Returns: The number of written bytes.
    /// - Throws: `UploadFailure` (`permanent`) if `path` exists or cannot be written; the errors of `encode(limit:)`.
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

    /// Writes the body to a new file like `write(to:)` of a `LocalPath`.
    /// - Throws: Also `UploadFailure` (`permanent`) if `path` is a URL or empty.
    @discardableResult
    public func write(to path: String) async throws -> ByteCount {
        try await write(to: LocalPath(notAnAddress: path))
    }

    /// Opens the files of the form. After a cancellation, throws `CancellationError` in place of a file's failure.
    private func opened() async throws -> OpenedForm {
        do throws(UploadFailure) { return try await OpenedForm(self) } catch {
            try Task.checkCancellation()
            throw error
        }
    }
}

extension UploadBody {
    /// Returns a body with the bytes of a form, whose content type replaces the request's `Content-Type`.
    /// - Parameter memoryThreshold: The size below which the form is read into memory.
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
