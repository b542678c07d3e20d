import FerryProtocols
import FerryTransfer

/// A multipart form whose files have been opened for one attempt to send it.
struct OpenedForm: Sendable {
    /// The maximum total size, in bytes, at which two neighboring segments in memory are joined into one. Copying so
    /// few bytes costs less than another write.
    private static let joinedLimit = 64 << 10

    private(set) var body = StreamedBody([])
    /// The name of the form part for each segment of the body. The messages of failures contain this name.
    private(set) var labels: [String] = []
    /// The number of bytes of all parts without headers and boundaries; nil if the length of a stream is unknown.
    private(set) var contentLength: ByteCount? = 0

    /// Opens the files off the caller's thread, one after the other.
    /// - Throws: `UploadFailure` of the first part that cannot be sent, with its number and its name.
    init(_ form: MultipartFormData) async throws(UploadFailure) {
        var contents: [StreamedBody.Segment] = []
        for (index, part) in form.parts.enumerated() {
            let label = Self.label(index, part)
            let content: StreamedBody.Segment
            do throws(UploadFailure) {
                try part.header.check()
                content = try await Self.open(part.content, boundary: form.boundary, label: label)
            } catch {
                throw error.inPart(label)
            }
            add(.bytes(form.boundary.opening(part.header, isFirst: index == 0)), label)
            add(content, label)
            contents.append(content)
        }
        contentLength = StreamedBody(contents).length
        add(.bytes(form.boundary.closing(isEmpty: form.parts.isEmpty)), "the end of the form")
    }

    /// The bytes of the form in sequence. A failure names the form part that caused it.
    var chunks: BodyChunks { BodyChunks(body.segments, labels: labels) }

    /// Returns all bytes at once. Reading stops as soon as the bytes exceed `limit`.
    /// - Throws: `UploadFailure` (`permanent`) if the form has more than `limit` bytes; otherwise the errors of reading
    ///   the parts.
    func bytes(limit: ByteCount) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        if let length = body.length {
            try Self.check(length, limit)
            bytes.reserveCapacity(Int(min(length, 64 << 20)))
        }
        for try await chunk in chunks {
            try Self.check(ByteCount(bytes.count + chunk.count), limit)
            bytes += chunk
        }
        return bytes
    }

    private mutating func add(_ segment: StreamedBody.Segment, _ label: String) {
        if case .bytes(let more) = segment, case .bytes(let bytes)? = body.segments.last,
            bytes.count + more.count <= Self.joinedLimit
        {
            body.segments[body.segments.count - 1] = .bytes(bytes + more)
        } else {
            body.segments.append(segment)
            labels.append(label)
        }
    }

    private static func open(
        _ content: MultipartFormData.Part.Content, boundary: MultipartBoundary, label: String
    ) async throws(UploadFailure) -> StreamedBody.Segment {
        var check = boundary.isUnguessable ? nil : BoundaryCheck(boundary)
        switch content {
        case .bytes(let bytes):
            if check?.finds(in: bytes) == true { throw .holdsBoundary }
            return .bytes(bytes)
        case .file(let path):
            let file = try await SourceFile.open(path)
            let range = 0..<file.identity.size
            if check != nil {
                for chunk in BodyChunks.chunks(of: range) {
                    let bytes = try await file.bytes(chunk, of: file.identity)
                    if check?.finds(in: bytes) == true { throw .holdsBoundary }
                }
            }
            return .file(file, identity: file.identity, range: range)
        case .stream(let stream):
            if let length = stream.length, length < 0 {
                throw UploadFailure(
                    .permanent, "the stream declares \(length) bytes",
                    hint: "declare the exact length, or none if it is not known")
            }
            return .stream(stream.checked(for: check, label: label))
        case .unusable(let failure):
            throw failure
        }
    }

    private static func check(_ length: ByteCount, _ limit: ByteCount) throws(UploadFailure) {
        guard length > limit else { return }
        throw UploadFailure(
            .permanent, "the form has \(length) bytes, and no more than \(limit) may be held in memory",
            hint: "send it as a stream, write it to a file, or raise the limit")
    }

    /// Returns the part's number and name for messages. Only the first 100 characters of the name are used, and control
    /// characters are escaped.
    private static func label(_ index: Int, _ part: MultipartFormData.Part) -> String {
        "part \(index + 1) of the form, \(String(part.header.name.prefix(100)).debugDescription)"
    }
}
