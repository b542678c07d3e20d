/// A digest algorithm. Its raw value is its name in the configuration.
public enum DigestAlgorithm: String, Hashable, Codable, Sendable, CaseIterable {
    /// MD5 (RFC 1321), which detects accidental errors but not attacks.
    case md5
    /// SHA-1 (FIPS 180-4), which detects accidental errors but not attacks.
    case sha1 = "sha-1"
    /// SHA-256 (FIPS 180-4).
    case sha256 = "sha-256"
    /// CRC-32C, Castagnoli (RFC 3720 appendix B.4), 4 bytes in network order.
    case crc32c
    /// CRC-64/NVME, 8 bytes in network order.
    case crc64nvme

    /// The algorithms in the order in which Ferry prefers one of a server's digests.
    static let strongestFirst: [DigestAlgorithm] = [.sha256, .sha1, .md5, .crc64nvme, .crc32c]

    /// The name of the algorithm for display.
    public var shown: String {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA-1"
        case .sha256: "SHA-256"
        case .crc32c: "CRC-32C"
        case .crc64nvme: "CRC-64/NVME"
        }
    }
}
