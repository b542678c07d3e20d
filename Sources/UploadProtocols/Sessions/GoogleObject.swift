import FerryFiles
import HTTPTypes

/// Google's description of a stored file, with only the JSON members that uploads need.
struct GoogleObject: Decodable {
    var id: String?
    var selfLink: String?
    /// The size of the file in bytes, as decimal digits.
    var size: String?
    /// The MD5 of the file, in Base64.
    var md5Hash: String?
    /// The CRC32C of the file, in Base64. Its first byte is the most significant one.
    var crc32c: String?
    /// The MD5 of the file, in hexadecimal. Only Drive reports it.
    var md5Checksum: String?
    var etag: String?

    /// The valid digests of the file that Google reports: MD5 first, then CRC32C.
    var reported: [ServerDigest] {
        [
            ServerDigest(.md5, base64: md5Hash), ServerDigest(.md5, hex: md5Checksum),
            ServerDigest(.crc32c, base64: crc32c),
        ].compactMap(\.self)
    }

    /// The entity tag of the file, made safe for display; nil if Google reports none.
    var tag: String? { etag.map(ServerText.cleaned) }

    var bytes: ByteCount? { size.flatMap { ByteCount(digits: $0) } }

    /// Returns the URL of the finished file: the valid `selfLink` from Google, or else the page of the file in Drive.
    func location(for address: GoogleAddress) -> String? {
        if let selfLink { return UploadAddress.absolute(selfLink, against: address.url)?.absoluteString }
        guard let id, UploadAddress.withoutQuery(address.url).contains("/upload/drive/") else { return nil }
        return "https://drive.google.com/file/d/\(id.percentEncoded())/view"
    }
}

/// The lookup of an object in Cloud Storage by its name, and the comparison of the object with the local file.
struct GoogleLookup: Sendable {
    enum Verdict {
        case ask(Exchange)
        case free
        case same(Receipt)
        case other
        case failed(ExchangeOutcome.Response)
    }

    let name: String
    private let item: UploadItem
    private let address: GoogleAddress
    private let base: String
    private let compares: Bool

    /// Makes the lookup; nil for other services than Cloud Storage. Without `compares`, every object is `other`.
    init?(_ name: String, _ item: UploadItem, at address: GoogleAddress, compares: Bool) {
        guard let base = address.object(named: name) else { return nil }
        (self.name, self.item, self.address, self.base) = (name, item, address, base)
        self.compares = compares
    }

    func start() -> Exchange { Exchange(.get, base) }

    /// Handles the response to the lookup. An object is the same file if it has the same size, and the same digest or
    /// none. The file's digest is computed with a request, so the lookup is sent a second time for it.
    func receive(_ response: ExchangeOutcome.Response) -> Verdict {
        switch response.status {
        case 404, 410: return .free
        case 200..<300: break
        default: return .failed(response)
        }
        guard compares, let object = response.decoded(as: GoogleObject.self), object.bytes == item.size else {
            return .other
        }
        var receipt = Receipt(
            location: object.location(for: address), entityTag: object.tag, bytes: item.size, wasThere: true)
        guard let reported = object.reported.first else { return .same(receipt) }
        guard let ours = response.digest(reported.algorithm) else {
            var again = start()
            again.digests = [DigestRequest(reported.algorithm, of: 0..<item.size)]
            return .ask(again)
        }
        guard ours == reported.bytes else { return .other }
        receipt.verified = reported.algorithm
        return .same(receipt)
    }
}
