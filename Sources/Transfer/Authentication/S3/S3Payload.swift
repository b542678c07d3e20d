import FerryFiles
import FerryProtocols
import HTTPTypes

/// The way in which a signature covers a body.
public enum S3PayloadForm: String, Hashable, Sendable, CaseIterable {
    /// The request decides; over https the body is protected by TLS only.
    case auto
    /// One chunk with the checksum after it (`aws-chunked`), for servers that refuse unsigned content.
    case streaming
    /// Hashed before it is sent, also over https.
    case signed
}

/// The body of one request: its value in the signature, and its frame.
struct S3Payload {
    private enum Frame {
        case none
        case chunk(length: ByteCount, trailer: AWSChunk.Trailer?, hash: String?)
    }

    private static let unsigned = "UNSIGNED-PAYLOAD"
    /// The fields that describe checksums without containing one.
    private static let sumSettings = [
        "x-amz-checksum-algorithm", "x-amz-checksum-type", "x-amz-checksum-mode",
    ]

    private let frame: Frame

    /// Writes the fields of the request that represent its body.
    ///
    /// - Throws: `UploadFailure` if the body must be read and cannot be.
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
                // A body that cannot be read twice is sent unsigned.
                if hash == Self.unsigned { hash = nil }
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

    /// Adds the frame to the body, after the head was signed.
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

    /// Returns the hash of the content in hexadecimal; the keyword for an unsigned body if reading would consume it.
    private static func hash(of body: StreamedBody) async throws -> String {
        for case .stream in body.segments { return unsigned }
        var digest = RunningDigest(.sha256)
        for try await chunk in BodyChunks(body.segments, labels: body.segments.map { _ in "" }) {
            chunk.withUnsafeBytes { digest.update($0) }
        }
        return DigestRequest.Form.hex.text(digest.bytes)
    }
}
