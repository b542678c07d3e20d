import FerryFiles
import HTTPTypes

/// A part of a multipart upload that the server has stored.
struct S3Part: Hashable, Sendable {
    /// The maximum length of an entity tag, in bytes: up to 10,000 tags are kept in memory and sent in one document.
    static let longestTag = 1024

    /// The entity tag as the server sent it. The request that completes the upload must repeat it verbatim.
    var entityTag: String
    /// The digest of the part, computed from the file or listed by the server; nil if there is none.
    var digest: [UInt8]?
}

/// The parser of the response that creates a multipart upload. The root element's name differs between servers.
enum S3Creation {
    /// The maximum length of an upload ID, in bytes, which is journaled. Real servers send at most a few hundred.
    private static let longestID = 2048

    static func uploadID(in body: [UInt8]) -> String? {
        XMLDocument.parse(body)?.text(of: "UploadId").flatMap {
            (1...longestID).contains($0.utf8.count) ? $0 : nil
        }
    }
}

/// One page of a server's list of the stored parts of a multipart upload.
struct S3PartPage {
    var parts: [(number: Int, size: ByteCount, part: S3Part)] = []
    /// The part number after which the next page begins; nil on the last page.
    var next: Int?

    /// Parses a page; nil if it is none, or does not say where the next one begins. Leaves out invalid parts.
    init?(_ body: [UInt8], digest: DigestAlgorithm?) {
        guard let root = XMLDocument.parse(body), root.name != "Error",
            root.child(named: "UploadId") ?? root.child(named: "IsTruncated") != nil
        else { return nil }
        for element in root.children(named: "Part") {
            guard let number = element.text(of: "PartNumber").flatMap({ Int($0) }),
                let size = element.text(of: "Size").flatMap({ ByteCount(digits: $0) }),
                let tag = element.text(of: "ETag"), (1...S3Part.longestTag).contains(tag.utf8.count)
            else { continue }
            parts.append((number, size, S3Part(entityTag: tag, digest: Self.digest(element, tag, digest))))
        }
        guard root.text(of: "IsTruncated") == "true" else { return }
        next = root.text(of: "NextPartNumberMarker").flatMap { Int($0) }
        if next == nil { return nil }
    }

    private static func digest(
        _ element: XMLElement, _ tag: String, _ algorithm: DigestAlgorithm?
    ) -> [UInt8]? {
        if let name = algorithm.flatMap(S3Checksum.element) {
            return element.text(of: name).flatMap(S3Checksum.bytes)
        }
        if algorithm == .md5, case .whole(let digest) = S3EntityTag(tag) { return digest }
        return nil
    }
}

/// The response to the request that completes a multipart upload.
struct S3Completion {
    /// The entity tag of the object; nil if the server sent none or an empty one (radosgw 16.2.15).
    var entityTag: String?
    private let root: XMLElement

    /// Parses the XML document for a completed upload; nil for any other body, such as an error after status 200.
    init?(_ body: [UInt8]) {
        guard let root = XMLDocument.parse(body), root.name != "Error",
            let tag = root.text(of: "ETag")
        else { return nil }
        entityTag = tag.isEmpty ? nil : tag
        self.root = root
    }

    /// The CRCs of the whole object that the response contains, without a composite of the parts' checksums.
    var digests: [ServerDigest] {
        guard root.text(of: "ChecksumType") != "COMPOSITE" else { return [] }
        return [DigestAlgorithm.crc64nvme, .crc32c].compactMap { algorithm in
            ServerDigest(algorithm, base64: reported(algorithm))
        }
    }

    /// Returns the object's digest as the server wrote it; nil for MD5, or if the response does not contain the digest.
    func reported(_ algorithm: DigestAlgorithm) -> String? {
        S3Checksum.element(algorithm).flatMap(root.text)
    }
}

/// One page of a server's list of the unfinished multipart uploads in a bucket.
struct S3UploadPage {
    typealias Entry = (key: String, uploadID: String, begun: Date?)

    var uploads: [Entry] = []
    /// The marker with which the next page is requested; nil on the last page, or if the server sent no marker.
    var next: (key: String, uploadID: String)?

    init?(_ body: [UInt8]) {
        guard let root = XMLDocument.parse(body), root.name != "Error" else { return nil }
        for element in root.children(named: "Upload") {
            guard let key = element.text(of: "Key"), !key.isEmpty,
                let uploadID = element.text(of: "UploadId"), !uploadID.isEmpty
            else { continue }
            let begun = element.text(of: "Initiated").flatMap(Self.date)
            uploads.append((key, uploadID, begun))
        }
        guard root.text(of: "IsTruncated") == "true", let key = root.text(of: "NextKeyMarker"), !key.isEmpty
        else { return }
        next = (key, root.text(of: "NextUploadIdMarker") ?? "")
    }

    /// Parses a time of S3, which is RFC 3339 in UTC; nil for any other text. A fraction of a second is ignored.
    private static func date(_ text: String) -> Date? {
        let whole = text.prefix { $0 != "." && $0 != "Z" }
        return try? Date(String(whole) + "Z", strategy: .iso8601)
    }
}

extension XMLElement {
    /// Returns the text of the first child with this name; nil if there is none.
    func text(of name: String) -> String? { child(named: name)?.text }
}
