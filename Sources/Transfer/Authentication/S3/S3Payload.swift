import FerryFiles
import FerryProtocols
import HTTPTypes

/// The way in which a signature covers a streamed body. For a body in memory, the signature always covers its hash.
public enum S3PayloadForm: String, Hashable, Sendable, CaseIterable {
    /// Signs the hash that the request states. If the request states none, an https body is sent unsigned, because TLS
    /// protects it. An http body without a stated hash is hashed and signed. If that body contains a stream, it is sent
    /// unsigned, because hashing would consume the stream.
    case auto
    /// Sends the body as one `aws-chunked` chunk, for servers that refuse unsigned content. A checksum in the request's
    /// fields is sent in a trailer after the chunk. Over http, the chunk is also signed. It is not signed if the body
    /// contains a stream and the request does not state its SHA-256. A body of unknown length is sent as with `auto`.
    /// The same is true of a body without a checksum that is sent over https or cannot be signed.
    case streaming
    /// Signs the SHA-256 of the body, also over https. If the request does not state this hash, the body is hashed
    /// before it is sent. A body with a stream can be read only once. So it is not hashed, and is sent unsigned if the
    /// request does not state its SHA-256.
    case signed
}

/// The way in which one request's body is signed, and the `aws-chunked` encoding around the body.
struct S3Payload {
    private enum Frame {
        case none
        case chunk(length: ByteCount, trailer: AWSChunk.Trailer?, hash: String?)
    }

    private static let unsigned = "UNSIGNED-PAYLOAD"
    /// The names of the `x-amz-checksum-` header fields that contain a setting and no checksum.
    private static let sumSettings = [
        "x-amz-checksum-algorithm", "x-amz-checksum-type", "x-amz-checksum-mode",
    ]

    private let frame: Frame

    /// Sets the header fields that describe the request's body. Reads the body if the signature needs its hash.
    ///
    /// - Throws: `UploadFailure` if the body cannot be read.
    init(of request: inout TransportRequest, as form: S3PayloadForm) async throws {
        let isEncrypted = request.url.lowercased().hasPrefix("https:")
        switch request.body {
        case .none:
            request.fields[.amzContentHash] = SigV4Encoding.hash([])
            frame = .none
        case .bytes(let bytes):
            request.fields[.amzContentHash] = SigV4Encoding.hash(bytes)
            frame = .none
        case .streamed(let body):
            let given = request.fields[.amzContentHash]
            let sum = Self.sum(in: request.fields)
            guard form == .streaming, let length = body.length, sum != nil || !isEncrypted else {
                let isGood = given != nil && (form != .signed || given?.utf8.count == 64)
                if !isGood {
                    request.fields[.amzContentHash] =
                        isEncrypted && form != .signed ? Self.unsigned : try await Self.hash(of: body)
                }
                frame = .none
                return
            }
            var hash: String?
            if !isEncrypted {
                hash = given?.utf8.count == 64 ? given : try await Self.hash(of: body)
                // A body that cannot be read twice is sent unsigned. S3 allows unsigned chunks only with a trailer, so
                // without a checksum for the trailer the body is not chunked.
                if hash == Self.unsigned { hash = nil }
                if hash == nil, sum == nil {
                    request.fields[.amzContentHash] = Self.unsigned
                    frame = .none
                    return
                }
            }
            if let sum {
                request.fields[sum.name] = nil
                request.fields[.amzTrailer] = sum.name.canonicalName
            }
            request.fields[.amzContentHash] =
                (hash == nil ? "STREAMING-UNSIGNED-PAYLOAD" : "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
                + (sum == nil ? "" : "-TRAILER")
            request.fields[.amzDecodedLength] = "\(length)"
            let encodings = request.fields[.contentEncoding]
            request.fields[.contentEncoding] = encodings.map { "aws-chunked, \($0)" } ?? "aws-chunked"
            frame = .chunk(
                length: length, trailer: sum.map { .init(name: $0.name.canonicalName, value: $0.value) },
                hash: hash)
        }
    }

    /// Wraps the body in the `aws-chunked` encoding, if the body is sent in that form. The head must already be signed,
    /// because the chunk's signature depends on the signature of the head.
    func apply(_ signer: SigV4ChunkSigner, to request: inout TransportRequest) {
        guard case .chunk(let length, let trailer, let hash) = frame, case .streamed(var body) = request.body
        else { return }
        let chunk = AWSChunk(length: length, trailer: trailer, signing: hash.map { ($0, signer) })
        body.segments = [.bytes(chunk.prefix)] + body.segments + [.bytes(chunk.suffix)]
        request.body = .streamed(body)
    }

    private static func sum(in fields: HTTPFields) -> HTTPField? {
        fields.first {
            let name = $0.name.canonicalName
            return name.hasPrefix("x-amz-checksum-") && !sumSettings.contains(name)
        }
    }

    /// Returns the content's SHA-256 in hexadecimal; `UNSIGNED-PAYLOAD` for a body with a stream, since reading would
    /// consume it.
    private static func hash(of body: StreamedBody) async throws -> String {
        for case .stream in body.segments { return unsigned }
        var digest = RunningDigest(.sha256)
        for try await chunk in BodyChunks(body.segments, labels: body.segments.map { _ in nil }) {
            chunk.withUnsafeBytes { digest.update($0) }
        }
        return DigestRequest.Form.hex.text(digest.bytes)
    }
}
