import FerryFiles
public import HTTPTypes

/// A digest that a server reports, usually of a whole file.
public struct ServerDigest: Hashable, Sendable {
    /// The part of a response in which Ferry searches for digests.
    public enum Source: Hashable, Sendable {
        /// Header fields such as `Repr-Digest`. An entity tag counts as a digest if it is an MD5, as in S3.
        case fields
        /// Azure's fields `x-ms-content-crc64` and `Content-MD5` for the content of a request. If both are present, the
        /// CRC-64 is used, which takes less time.
        case azureFields
        /// The JSON document with which one of Google's services completes an upload.
        case googleObject
        /// The JSON document with which Microsoft Graph completes an upload.
        case graphItem
        /// The XML document with which S3 completes a multipart upload.
        case s3Completion
        /// The strongest digest among the properties of a file in a response to `PROPFIND`.
        case webDAVProperties
    }

    /// The algorithm of the digest.
    public var algorithm: DigestAlgorithm
    /// The bytes of the digest. Those of a CRC are in network order.
    public var bytes: [UInt8]

    public init(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Makes the digest from its Base64; nil if `base64` is nil or invalid.
    init?(_ algorithm: DigestAlgorithm, base64: String?) {
        guard let base64, let data = Data(base64Encoded: base64) else { return nil }
        self.init(algorithm, Array(data))
    }

    /// Makes the digest from its hexadecimal digits; nil if `hex` is nil or invalid.
    init?(_ algorithm: DigestAlgorithm, hex: (some StringProtocol)?) {
        guard let hex, let bytes = Self.unhex(hex) else { return nil }
        self.init(algorithm, bytes)
    }

    /// Returns the digests in the header fields `Repr-Digest` (RFC 9530) and `OC-Checksum`, and in S3's fields for the
    /// checksum of a whole file. The strongest digest comes first.
    public static func `in`(_ fields: HTTPFields) -> [ServerDigest] {
        var reported = fields[.reprDigest].map(dictionary) ?? []
        for entry in fields[.ocChecksum]?.split(separator: " ") ?? [] {
            let pair = entry.split(separator: ":", maxSplits: 1)
            guard pair.count == 2, let algorithm = ownCloudNames[pair[0].uppercased()] else { continue }
            reported += [ServerDigest(algorithm, hex: pair[1])].compactMap(\.self)
        }
        // A composite checksum (`BASE64-N`) covers the checksums of the parts, and is no valid Base64.
        reported += s3Names.compactMap { ServerDigest($0.key, base64: fields[$0.value]) }
        return DigestAlgorithm.strongestFirst.flatMap { algorithm in
            reported.filter { $0.algorithm == algorithm }
        }
    }

    /// Returns the algorithms of the digests in one part of a response.
    public static func algorithms(
        in response: ExchangeOutcome.Response, _ source: Source
    ) -> Set<DigestAlgorithm> {
        var reported: [ServerDigest]
        switch source {
        case .fields:
            reported = Self.in(response.fields)
            if case .whole(let digest)? = S3EntityTag(response.fields[.eTag], in: response.fields) {
                reported.append(ServerDigest(.md5, digest))
            }
        case .azureFields: reported = Array(response.azureDigests.prefix(1))
        case .googleObject: reported = response.decoded(as: GoogleObject.self)?.reported ?? []
        case .graphItem: reported = response.decoded(as: GraphItem.self)?.reported ?? []
        case .s3Completion: reported = S3Completion(response.body)?.digests ?? []
        case .webDAVProperties:
            reported = Array(WebDAVProperties.list(in: response)?.first?.file.reported.prefix(1) ?? [])
        }
        return Set(reported.map(\.algorithm))
    }

    /// Parses a field such as `sha-256=:BASE64:, md5=:BASE64:`. Unknown and malformed entries are dropped.
    public static func dictionary(_ field: String) -> [ServerDigest] {
        field.split(separator: ",").compactMap { entry in
            let pair = entry.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces }
            guard pair.count == 2, let algorithm = httpNames[pair[0]], pair[1].hasPrefix(":") else {
                return nil
            }
            return ServerDigest(algorithm, base64: String(pair[1].dropFirst().prefix { $0 != ":" }))
        }
    }

    /// Returns the key of an algorithm in `Repr-Digest` and `Content-Digest`; nil if these fields have no key for it.
    public static func key(of algorithm: DigestAlgorithm) -> String? {
        httpNames.first { $0.value == algorithm }?.key
    }

    /// Returns the name of an algorithm in `OC-Checksum`; nil if ownCloud and Nextcloud do not support it.
    static func ownCloudName(of algorithm: DigestAlgorithm) -> String? {
        ownCloudNames.first { $0.value == algorithm }?.key
    }

    static func unhex(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map(\.hexDigit)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The algorithms by their keys in `Repr-Digest` (RFC 9530 §7.2).
    private static let httpNames: [String: DigestAlgorithm] = [
        "md5": .md5, "sha": .sha1, "sha-256": .sha256, "crc32c": .crc32c,
    ]
    private static let s3Names: KeyValuePairs<DigestAlgorithm, HTTPField.Name> = [
        .sha256: S3Checksum.field(.sha256), .sha1: S3Checksum.field(.sha1),
        .crc64nvme: S3Checksum.field(.crc64nvme), .crc32c: S3Checksum.field(.crc32c),
    ]
    private static let ownCloudNames: [String: DigestAlgorithm] = [
        "MD5": .md5, "SHA1": .sha1, "SHA256": .sha256,
    ]
}

extension HTTPField.Name {
    /// The header field with digests of the whole file (RFC 9530 §3).
    public static let reprDigest = named("Repr-Digest")
    /// The header field with digests of the content of one message (RFC 9530 §2).
    public static let contentDigest = named("Content-Digest")
    /// The header field with which a client asks for `Repr-Digest` in the response (RFC 9530 §4).
    public static let wantReprDigest = named("Want-Repr-Digest")
    /// The header field with the checksums of ownCloud and Nextcloud: `SHA1:HEX`, several separated by spaces.
    public static let ocChecksum = named("OC-Checksum")
}
