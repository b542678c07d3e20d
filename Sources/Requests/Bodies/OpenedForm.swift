import FerryProtocols
import FerryTransfer

/// A multipart form whose files have been opened for one attempt to send it.
struct OpenedForm: Sendable {
    /// The maximum total size of neighboring segments in memory that are joined, which costs less than another write.
    private static let joinedLimit = 64 << 10

    private(set) var body = StreamedBody([])
    /// The name of the form part for each segment, for messages of failures.
    private(set) var labels: [String] = []
    /// The number of bytes of all parts without headers and boundaries, if known.
    private(set) var contentLength: ByteCount? = 0

    /// Opens the files off the caller's thread, one after the other.
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

    var chunks: BodyChunks { BodyChunks(body.segments, labels: labels) }

    /// Returns all bytes at once, or throws as soon as they exceed `limit`.
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
        case .unusable(let failure): throw failure
        }
    }

    private static func check(_ length: ByteCount, _ limit: ByteCount) throws(UploadFailure) {
        guard length > limit else { return }
        throw UploadFailure(
            .permanent, "the form has \(length) bytes, and no more than \(limit) may be held in memory",
            hint: "send it as a stream, write it to a file, or raise the limit")
    }

    /// Returns the part's number and name for messages, in 100 escaped characters.
    private static func label(_ index: Int, _ part: MultipartFormData.Part) -> String {
        "part \(index + 1) of the form, \(String(part.header.name.prefix(100)).debugDescription)"
    }
}
