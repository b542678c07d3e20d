import FerryFiles
import HTTPTypes

/// The names and values of digests in S3's header fields and documents.
enum S3Checksum {
    /// Returns the name of the header field for the digest of a message's content. The field's value is in Base64.
    static func field(_ algorithm: DigestAlgorithm) -> HTTPField.Name {
        name(algorithm).map { .named("x-amz-checksum-\($0.lowercased())") } ?? .contentMD5
    }

    /// Returns the value of the field `x-amz-checksum-algorithm`; nil for MD5, which has other fields.
    static func name(_ algorithm: DigestAlgorithm) -> String? {
        algorithm == .md5 ? nil : algorithm.rawValue.uppercased().filter { $0 != "-" }
    }

    /// Returns the name of the XML element that contains the digest of a part or of the object; nil for MD5.
    static func element(_ algorithm: DigestAlgorithm) -> String? { name(algorithm).map { "Checksum\($0)" } }

    /// Returns the value of `x-amz-checksum-type`; nil for MD5. A composite is a hash of the parts' hashes.
    static func type(_ algorithm: DigestAlgorithm) -> String? {
        switch algorithm {
        case .md5: nil
        case .sha1, .sha256: "COMPOSITE"
        case .crc32c, .crc64nvme: "FULL_OBJECT"
        }
    }

    /// Returns the digest that a server reports for an object of these parts: the Base64 of the object's CRC, or the
    /// hash of the parts' hashes as `BASE64-N`, for MD5 `HEX-N`. Nil if a CRC has the wrong length.
    static func whole(
        _ parts: [(digest: [UInt8], length: ByteCount)], _ algorithm: DigestAlgorithm
    ) -> String? {
        switch algorithm {
        case .md5:
            return DigestRequest.Form.hex.text(RunningDigest.of(parts.flatMap(\.digest), .md5))
                + "-\(parts.count)"
        case .sha1, .sha256:
            return base64(RunningDigest.of(parts.flatMap(\.digest), algorithm)) + "-\(parts.count)"
        case .crc32c: return joined(parts, by: CRC32C.tables)
        case .crc64nvme: return joined(parts, by: CRC64NVME.tables)
        }
    }

    private static func joined<Register>(
        _ parts: [(digest: [UInt8], length: ByteCount)], by crc: ReflectedCRC<Register>
    ) -> String? {
        let width = Register.bitWidth / 8
        guard parts.allSatisfy({ $0.digest.count == width }) else { return nil }
        let sum = crc.joined(
            parts.lazy.map { part in (part.digest.reduce(0) { $0 << 8 | Register($1) }, part.length) })
        return base64((0..<width).map { UInt8(truncatingIfNeeded: sum >> Register(8 * (width - 1 - $0))) })
    }

    static func base64(_ bytes: [UInt8]) -> String { DigestRequest.Form.base64.text(bytes) }

    static func bytes(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }
}

/// An entity tag that is an MD5 or made of MD5s. No server guarantees this form, and encrypted objects have other tags.
enum S3EntityTag: Hashable {
    /// The MD5 of the content.
    case whole([UInt8])
    /// The MD5 of the parts' MD5s, and the number of parts.
    case parts([UInt8], count: Int)

    /// Parses an entity tag of the form `MD5` or `MD5-COUNT`; nil for others, and if `fields` name an encryption.
    init?(_ tag: String?, in fields: HTTPFields = [:]) {
        let encryption = fields[.named("x-amz-server-side-encryption")] ?? ""
        guard let tag, !encryption.hasPrefix("aws:kms"),
            fields[.named("x-amz-server-side-encryption-customer-algorithm")] == nil
        else { return nil }
        let parts = tag.filter { $0 != "\"" }.split(separator: "-", omittingEmptySubsequences: false)
        guard parts[0].utf8.count == 32, let digest = ServerDigest.unhex(parts[0]) else { return nil }
        if parts.count == 1 {
            self = .whole(digest)
        } else {
            guard parts.count == 2, let count = Int(parts[1]) else { return nil }
            self = .parts(digest, count: count)
        }
    }
}
