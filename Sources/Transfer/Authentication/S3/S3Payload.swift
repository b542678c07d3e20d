import FerryProtocols
import HTTPTypes

/// The way in which a signature covers a streamed body. That of a body in memory always covers its hash.
public enum S3PayloadForm: String, Hashable, Sendable, CaseIterable {
    /// Signs the hash that the request states. Without one, an https body is sent unsigned, because TLS protects it,
    /// and an http body is hashed and signed, unless it contains a stream, which hashing would consume.
    case auto
    /// Sends the body as one `aws-chunked` chunk, for servers that refuse unsigned content, with the request's checksum
    /// in a trailer. Over http, the chunk is also signed, unless a stream has no stated SHA-256. A body of unknown
    /// length, or without a checksum and a signature, is sent as with `auto`.
    case streaming
    /// Signs the SHA-256 of the body, also over https, and hashes it first if the request does not state it. A body
    /// with a stream, which can be read only once, is sent unsigned then.
    case signed
}

/// The signature of one request's body, and the `aws-chunked` encoding around it.
struct S3Payload {
    private enum Frame {
        case none
        case chunk(length: ByteCount, trailer: AWSChunk.Trailer?, hash: String?)
    }

    private static let unsigned = "UNSIGNED-PAYLOAD"
    /// The names of the `x-amz-checksum-` header fields without a checksum.
    private static let sumSettings = [
        "x-amz-checksum-algorithm", "x-amz-checksum-type", "x-amz-checksum-mode",
    ]

    private let frame: Frame

    /// Sets the header fields that describe the request's body, which is read if the signature needs its hash.
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
                // A body that cannot be read twice is sent unsigned. S3 allows unsigned chunks only with a trailer.
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

    /// Wraps the body in the `aws-chunked` encoding, if it has that form, after the head was signed: the chunk's
    /// signature depends on it.
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

    /// Returns the content's SHA-256 in hexadecimal; `UNSIGNED-PAYLOAD` for a body with a stream.
    private static func hash(of body: StreamedBody) async throws -> String {
        for case .stream in body.segments { return unsigned }
        var digest = RunningDigest(.sha256)
        for try await chunk in BodyChunks(body.segments, labels: body.segments.map { _ in nil }) {
            chunk.withUnsafeBytes { digest.update($0) }
        }
        return DigestRequest.Form.hex.text(digest.bytes)
    }
}
