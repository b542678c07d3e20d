import FerryFiles
import HTTPTypes

/// A part of a multipart upload that the server has stored.
struct S3Part: Hashable, Sendable {
    /// The maximum length of an entity tag, in bytes. It is limited because up to 10,000 tags are kept in memory and
    /// sent in one document.
    static let longestTag = 1024

    /// The entity tag as the server sent it. The request that completes the upload must repeat it verbatim.
    var entityTag: String
    /// The digest of the part, computed from the file or listed by the server. Nil if the upload has no digest
    /// algorithm, or if the server lists no digest of this algorithm.
    var digest: [UInt8]?
}

/// The parser of the response to `POST ?uploads`, the request that creates a multipart upload. It ignores the root
/// element's name, which differs between servers.
enum S3Creation {
    /// The maximum length of an upload ID, in bytes. The ID is journaled and is part of each URL. Real servers send at
    /// most a few hundred bytes.
    private static let longestID = 2048

    static func uploadID(in body: [UInt8]) -> String? {
        XMLDocument.parse(body)?.child(named: "UploadId").flatMap {
            (1...longestID).contains($0.text.utf8.count) ? $0.text : nil
        }
    }
}

/// One page of a server's list of the stored parts of a multipart upload.
struct S3PartPage {
    var parts: [(number: Int, size: ByteCount, part: S3Part)] = []
    /// The part number after which the next page begins; nil on the last page.
    var next: Int?

    /// Parses a page of the list. Returns nil if the body is not such a page, or if it announces a next page without
    /// saying where that page begins. A part without a valid number, size or entity tag is left out.
    ///
    /// - Parameter digest: The algorithm of the digests to read; nil to read none.
    init?(_ body: [UInt8], digest: DigestAlgorithm?) {
        guard let root = XMLDocument.parse(body), root.name != "Error",
            root.child(named: "UploadId") ?? root.child(named: "IsTruncated") != nil
        else { return nil }
        for element in root.children(named: "Part") {
            guard let number = element.child(named: "PartNumber").flatMap({ Int($0.text) }),
                let size = element.child(named: "Size").flatMap({ ByteCount(digits: $0.text) }),
                let tag = element.child(named: "ETag")?.text,
                (1...S3Part.longestTag).contains(tag.utf8.count)
            else { continue }
            parts.append((number, size, S3Part(entityTag: tag, digest: Self.digest(element, tag, digest))))
        }
        guard root.child(named: "IsTruncated")?.text == "true" else { return }
        guard let marker = root.child(named: "NextPartNumberMarker").flatMap({ Int($0.text) }) else {
            return nil
        }
        next = marker
    }

    private static func digest(_ element: XMLElement, _ tag: String, _ algorithm: DigestAlgorithm?)
        -> [UInt8]?
    {
        guard let algorithm else { return nil }
        guard let name = S3Checksum.element(algorithm) else {
            if case .whole(let digest) = S3EntityTag(tag) { return digest }
            return nil
        }
        return element.child(named: name).flatMap { S3Checksum.bytes($0.text) }
    }
}

/// The response to the request that completes a multipart upload.
struct S3Completion {
    /// The entity tag of the object; nil if the server sent none. For example, radosgw 16.2.15 leaves the XML element
    /// empty.
    var entityTag: String?
    private let root: XMLElement

    /// Parses the XML document for a completed upload; nil for any other body. A server can send status 200 before it
    /// knows the outcome, and then send an error in the body.
    init?(_ body: [UInt8]) {
        guard let root = XMLDocument.parse(body), root.name != "Error",
            let tag = root.child(named: "ETag")?.text
        else { return nil }
        entityTag = tag.isEmpty ? nil : tag
        self.root = root
    }

    /// The CRCs of the whole object that the response contains. A composite checksum is left out, because it covers
    /// only the checksums of the parts.
    var digests: [ServerDigest] {
        guard root.child(named: "ChecksumType")?.text != "COMPOSITE" else { return [] }
        return [DigestAlgorithm.crc64nvme, .crc32c].compactMap { algorithm in
            reported(algorithm).flatMap(S3Checksum.bytes).map { ServerDigest(algorithm, $0) }
        }
    }

    /// Returns the object's digest as the server wrote it; nil for MD5, or if the response does not contain the digest.
    func reported(_ algorithm: DigestAlgorithm) -> String? {
        S3Checksum.element(algorithm).flatMap { root.child(named: $0)?.text }
    }
}

/// One page of a server's list of the unfinished multipart uploads in a bucket.
struct S3UploadPage {
    struct Entry {
        var key: String
        var uploadID: String
        var begun: Date?
    }

    var uploads: [Entry] = []
    /// The marker with which the next page is requested; nil on the last page, or if the server sent no marker.
    var next: (key: String, uploadID: String)?

    init?(_ body: [UInt8]) {
        guard let root = XMLDocument.parse(body), root.name != "Error" else { return nil }
        for element in root.children(named: "Upload") {
            guard let key = element.child(named: "Key")?.text, !key.isEmpty,
                let uploadID = element.child(named: "UploadId")?.text, !uploadID.isEmpty
            else { continue }
            let begun = element.child(named: "Initiated").flatMap { Self.date($0.text) }
            uploads.append(Entry(key: key, uploadID: uploadID, begun: begun))
        }
        guard root.child(named: "IsTruncated")?.text == "true",
            let key = root.child(named: "NextKeyMarker")?.text, !key.isEmpty
        else { return }
        next = (key, root.child(named: "NextUploadIdMarker")?.text ?? "")
    }

    /// Parses a time of S3, which is RFC 3339 in UTC; nil for any other text. A fraction of a second is ignored.
    private static func date(_ text: String) -> Date? {
        let whole = text.prefix { $0 != "." && $0 != "Z" }
        return try? Date(String(whole) + "Z", strategy: .iso8601)
    }
}

/// The XML body of the request that completes a multipart upload.
enum S3CompletionDocument {
    /// Returns the XML document, which lists all parts of the upload.
    ///
    /// - Parameters:
    ///   - parts: The parts by number. They are written in ascending order, as the server requires.
    ///   - digest: The algorithm of the parts' digests to include; nil to include none.
    static func bytes(_ parts: [Int: S3Part], digest: DigestAlgorithm?) -> [UInt8] {
        let name = digest.flatMap(S3Checksum.element)
        var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        for (number, part) in parts.sorted(by: { $0.key < $1.key }) {
            text += "<Part><PartNumber>\(number)</PartNumber>"
            text += "<ETag>\(XMLDocument.escaped(part.entityTag))</ETag>"
            if let name, let digest = part.digest {
                text += "<\(name)>\(S3Checksum.base64(digest))</\(name)>"
            }
            text += "</Part>"
        }
        return Array((text + "</CompleteMultipartUpload>").utf8)
    }
}
