import FerryFiles
import FerryProtocols
import HTTPTypes

/// The checksum that a request's content must have (tus 1.0.0, Checksum).
struct TusChecksum: Sendable {
    private static let algorithms: [(name: String, algorithm: DigestAlgorithm)] = [
        ("sha1", .sha1), ("sha256", .sha256), ("md5", .md5), ("crc32c", .crc32c),
    ]
    /// The value of `Tus-Checksum-Algorithm`.
    static let names = algorithms.map(\.name).joined(separator: ",")

    private let algorithm: DigestAlgorithm
    private let bytes: [UInt8]

    /// Reads the header field `Upload-Checksum`; nil if the request has no such field.
    /// - Throws: `Refusal` with 400 if the algorithm is unknown or the value is malformed.
    init?(in fields: HTTPFields) throws(Refusal) {
        guard let field = fields[.uploadChecksum] else { return nil }
        let words = field.split(separator: " ")
        guard let name = words.first?.lowercased(),
            let known = Self.algorithms.first(where: { $0.name == name })
        else { throw Refusal(.badRequest, "Upload-Checksum must be by one of \(Self.names).") }
        guard words.count == 2, let data = Data(base64Encoded: String(words[1])) else {
            throw Refusal(.badRequest, "Upload-Checksum is not a name and a digest in Base64.")
        }
        algorithm = known.algorithm
        bytes = Array(data)
    }

    func matches(_ file: OpenFile, _ range: Range<Int>) async throws -> Bool {
        try await file.digests([algorithm], of: range)[algorithm] == bytes
    }
}

extension HTTPResponse.Status {
    /// The status 460 (tus 1.0.0, Checksum).
    static let checksumMismatch = HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch")
}
