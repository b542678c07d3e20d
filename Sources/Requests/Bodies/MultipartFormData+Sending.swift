public import FerryProtocols
public import FerryTransfer

extension MultipartFormData {
    /// Opens every file off the caller's thread, and returns the body and its length. The body is for one attempt to
    /// send the form.
    /// - Throws: `UploadFailure` for the first part that cannot be sent. The failure names the part by its number and
    ///   its name.
    public func open() async throws(UploadFailure) -> StreamedBody {
        try await OpenedForm(self).body
    }

    /// Returns the exact number of bytes of the whole body. The boundaries and the headers of the parts count, too.
    /// Returns nil if the length of a stream is unknown.
    /// - Throws: The errors of `open()`.
    public func length() async throws(UploadFailure) -> ByteCount? { try await OpenedForm(self).body.length }

    /// Returns the number of bytes in all parts; nil if the length of a stream is unknown. The boundaries and the
    /// headers of the parts do not count. The request's `Content-Length` is the greater number that `length()` returns.
    /// - Throws: The errors of `open()`.
    public func contentLength() async throws(UploadFailure) -> ByteCount? {
        try await OpenedForm(self).contentLength
    }

    /// Opens the form, and returns the body to send. A small form is read into memory, so that one write sends it. Any
    /// other form is streamed from its sources. Nothing is written to disk.
    /// - Parameter memoryThreshold: A form is read into memory if it has fewer bytes than this number. A form of
    ///   unknown length is always streamed.
    /// - Throws: `UploadFailure` if a part cannot be sent, if a file changes during the read, or if a stream differs
    ///   from its declared length. `CancellationError` if the task is cancelled.
    public func body(memoryThreshold: ByteCount = 1 << 20) async throws -> TransportRequest.Body {
        let form = try await opened()
        guard let length = form.body.length, length < memoryThreshold else { return .streamed(form.body) }
        return .bytes(try await form.bytes(limit: length))
    }

    /// Returns the whole body, with the same bytes that are sent to a server.
    /// - Parameter limit: The maximum number of bytes of the body.
    /// - Throws: `UploadFailure` if a part cannot be sent, or if the body exceeds the limit. `UploadFailure` if a file
    ///   changes during the read, or if a stream differs from its declared length. `CancellationError` if the task is
    ///   cancelled.
    public func encode(limit: ByteCount = 256 << 20) async throws -> [UInt8] {
        try await opened().bytes(limit: limit)
    }

    /// Returns the body as a sequence of chunks that are read on demand. The chunks have the same bytes that are sent
    /// to a server.
    /// - Throws: The errors of `open()`. The sequence throws `UploadFailure` if a file changes during the read, or if a
    ///   stream differs from its declared length. It throws `CancellationError` if the task is cancelled.
    public func chunks() async throws(UploadFailure) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        try await OpenedForm(self).chunks
    }

    /// Writes the body, with the same bytes that are sent to a server, to a new file. Only the owner of the file can
    /// read it, because a form can contain secrets. If writing fails, the new file is removed.
    /// - Returns: The number of written bytes.
    /// - Throws: `UploadFailure` (`permanent`) if `path` exists or cannot be written. `UploadFailure` if a part cannot
    ///   be sent, if a file changes during the read, or if a stream differs from its declared length.
    ///   `CancellationError` if the task is cancelled.
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

    /// Writes the body to a new file that only the file's owner can read. If writing fails, the new file is removed.
    /// - Parameter path: The path of the file, not a URL.
    /// - Returns: The number of written bytes.
    /// - Throws: `UploadFailure` (`permanent`) if `path` is a URL, is empty, exists or cannot be written.
    ///   `UploadFailure` if the body cannot be read. `CancellationError` if the task is cancelled.
    @discardableResult
    public func write(to path: String) async throws -> ByteCount {
        try await write(to: LocalPath(notAnAddress: path))
    }

    /// Opens the files of the form. If a file cannot be opened and the task is cancelled, throws `CancellationError`
    /// and not the failure of the file.
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
    /// False if a part is a stream that can be read only once and was read. The form then cannot be sent again.
    fileprivate var canBegin: Bool {
        parts.allSatisfy { part in
            if case .stream(let stream) = part.content { stream.canBegin } else { true }
        }
    }
}
