import FerryFiles
import HTTPTypes

/// Google's description of a stored file, with only the JSON members that uploads need.
struct GoogleObject: Decodable {
    /// The identifier of the file in Drive or of the object in Cloud Storage.
    var id: String?
    var selfLink: String?
    /// The number of bytes, as decimal digits.
    var size: String?
    /// The MD5 in Base64.
    var md5Hash: String?
    /// The CRC32C in Base64, in network order.
    var crc32c: String?
    /// The MD5 in hexadecimal, which only Drive sends.
    var md5Checksum: String?
    var etag: String?

    init?(_ response: ExchangeOutcome.Response) {
        guard let object = try? JSONDecoder().decode(GoogleObject.self, from: Data(response.body)) else {
            return nil
        }
        self = object
    }

    /// The reported digests, the strongest first.
    var reported: [ServerDigest] {
        var reported: [ServerDigest] = []
        if let data = md5Hash.flatMap({ Data(base64Encoded: $0) }) {
            reported.append(ServerDigest(.md5, Array(data)))
        }
        if let bytes = md5Checksum.flatMap({ ServerDigest.unhex($0) }) {
            reported.append(ServerDigest(.md5, bytes))
        }
        if let data = crc32c.flatMap({ Data(base64Encoded: $0) }) {
            reported.append(ServerDigest(.crc32c, Array(data)))
        }
        return reported
    }

    /// The entity tag, cleaned for display.
    var tag: String? { etag.map(ServerText.cleaned) }

    /// The number of bytes; nil if the service does not state it.
    var bytes: ByteCount? { size.flatMap { ByteCount(digits: $0) } }

    /// Returns the URL of the finished file: the object's `selfLink`, or else the page of a file in Drive. Nil if
    /// neither is known. The session's URL is not the file's.
    func location(for address: GoogleAddress) -> String? {
        if let selfLink { return UploadAddress.absolute(selfLink, against: address.url)?.absoluteString }
        guard let id, UploadAddress.withoutQuery(address.url).contains("/upload/drive/") else { return nil }
        return "https://drive.google.com/file/d/\(AddressQuery.encoded(id))/view"
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

    /// - Parameter compares: True to compare the object with the local file. If false, every object of this name counts
    ///   as another file.
    /// - Returns: The lookup; nil for a service without lookups by name.
    init?(_ name: String, _ item: UploadItem, at address: GoogleAddress, compares: Bool) {
        guard let base = address.object(named: name) else { return nil }
        (self.name, self.item, self.address, self.base) = (name, item, address, base)
        self.compares = compares
    }

    func start() -> Exchange { Exchange(.get, base) }

    /// Handles the response to the lookup. If the sizes are equal and the object has a digest, a second lookup follows,
    /// for which the digest of the local file is computed.
    func receive(_ response: ExchangeOutcome.Response) -> Verdict {
        switch response.status {
        case 404, 410: return .free
        case 200..<300: break
        default: return .failed(response)
        }
        guard compares, let object = GoogleObject(response), object.bytes == item.size else { return .other }
        var receipt = Receipt(
            location: object.location(for: address), entityTag: object.tag, bytes: item.size, wasThere: true)
        guard let reported = object.reported.first else { return .same(receipt) }
        guard let ours = response.digests.first(where: { $0.algorithm == reported.algorithm }) else {
            var again = start()
            again.digests = [DigestRequest(reported.algorithm, of: 0..<item.size)]
            return .ask(again)
        }
        guard ours.bytes == reported.bytes else { return .other }
        receipt.verified = reported.algorithm
        return .same(receipt)
    }
}
