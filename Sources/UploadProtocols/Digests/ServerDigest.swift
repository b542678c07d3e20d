import FerryFiles
public import HTTPTypes

/// A digest that a server reports, usually of a whole file.
public struct ServerDigest: Hashable, Sendable {
    /// The part of a response in which Ferry searches for digests.
    public enum Source: Hashable, Sendable {
        /// Searches header fields such as `Repr-Digest`. An entity tag counts as a digest if it is an MD5, as in S3.
        case fields
        /// Searches Azure's header fields `x-ms-content-crc64` and `Content-MD5`. They contain digests of a request's
        /// content. If both are present, uses only the CRC-64, because computing it takes less time.
        case azureFields
        /// Searches the JSON document with which one of Google's services completes an upload.
        case googleObject
        /// Searches the JSON document with which Microsoft Graph completes an upload.
        case graphItem
        /// Searches the XML document with which S3 completes a multipart upload.
        case s3Completion
        /// Searches the properties of a file in a response to `PROPFIND`. Uses only the strongest digest among them.
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

    /// Returns the digests in the header fields `Repr-Digest` (RFC 9530) and `OC-Checksum`, and in S3's fields for the
    /// checksum of a whole file. The strongest digest comes first.
    public static func `in`(_ fields: HTTPFields) -> [ServerDigest] {
        var reported = fields[.reprDigest].map(dictionary) ?? []
        if let field = fields[.ocChecksum] {
            for entry in field.split(separator: " ") {
                let pair = entry.split(separator: ":", maxSplits: 1)
                guard pair.count == 2, let algorithm = ownCloudNames[pair[0].uppercased()] else { continue }
                if let bytes = unhex(pair[1]) { reported.append(ServerDigest(algorithm, bytes)) }
            }
        }
        for (name, algorithm) in s3Names {
            // A composite checksum (`BASE64-N`) covers the checksums of the parts, so it cannot be compared with the
            // file's.
            guard let value = fields[name], let data = Data(base64Encoded: value) else { continue }
            reported.append(ServerDigest(algorithm, Array(data)))
        }
        return reported.sorted { rank($0.algorithm) < rank($1.algorithm) }
    }

    /// Returns the algorithms of the digests in header fields. MD5 is included if the entity tag is an MD5, as in S3.
    public static func algorithms(in fields: HTTPFields) -> Set<DigestAlgorithm> {
        let reported = Set(Self.in(fields).map(\.algorithm))
        if case .whole? = S3EntityTag(fields[.eTag], in: fields) { return reported.union([.md5]) }
        return reported
    }

    /// Returns the algorithms of the digests in one part of a response.
    public static func algorithms(in response: ExchangeOutcome.Response, _ source: Source) -> Set<
        DigestAlgorithm
    > {
        switch source {
        case .fields: algorithms(in: response.fields)
        case .azureFields: Set(response.azureDigests.first.map { [$0.algorithm] } ?? [])
        case .googleObject: Set(GoogleObject(response)?.reported.map(\.algorithm) ?? [])
        case .graphItem: Set(GraphItem(response)?.reported.map(\.algorithm) ?? [])
        case .s3Completion: Set(S3Completion(response.body)?.digests.map(\.algorithm) ?? [])
        case .webDAVProperties:
            Set(WebDAVProperties.list(in: response)?.first?.file.reported.first.map { [$0.algorithm] } ?? [])
        }
    }

    /// Parses a field such as `sha-256=:BASE64:, md5=:BASE64:`. Unknown and malformed entries are dropped.
    public static func dictionary(_ field: String) -> [ServerDigest] {
        field.split(separator: ",").compactMap { entry in
            let pair = entry.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces }
            guard pair.count == 2, let algorithm = httpNames[pair[0]], pair[1].hasPrefix(":") else {
                return nil
            }
            let value = pair[1].dropFirst().prefix { $0 != ":" }
            return Data(base64Encoded: String(value)).map { ServerDigest(algorithm, Array($0)) }
        }
    }

    /// Returns the key of an algorithm in `Repr-Digest` and `Content-Digest`; nil if these fields have no key for the
    /// algorithm.
    public static func key(of algorithm: DigestAlgorithm) -> String? {
        httpNames.first { $0.value == algorithm }?.key
    }

    /// Returns the name of an algorithm in `OC-Checksum`; nil if ownCloud and Nextcloud do not support the algorithm.
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
    private static let ownCloudNames: [String: DigestAlgorithm] = [
        "MD5": .md5, "SHA1": .sha1, "SHA256": .sha256,
    ]
    private static let s3Names: [(HTTPField.Name, DigestAlgorithm)] = [
        (.named("x-amz-checksum-sha256"), .sha256), (.named("x-amz-checksum-sha1"), .sha1),
        (.named("x-amz-checksum-crc64nvme"), .crc64nvme), (.named("x-amz-checksum-crc32c"), .crc32c),
    ]

    private static func rank(_ algorithm: DigestAlgorithm) -> Int {
        switch algorithm {
        case .sha256: 0
        case .sha1: 1
        case .md5: 2
        case .crc64nvme: 3
        case .crc32c: 4
        }
    }
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
