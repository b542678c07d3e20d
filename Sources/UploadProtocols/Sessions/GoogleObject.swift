import FerryFiles
import HTTPTypes

/// Google's description of a stored file, as far as uploads need it.
struct GoogleObject: Decodable {
    /// Drive's identifier, or Cloud Storage's.
    var id: String?
    var selfLink: String?
    /// Bytes, as decimal digits.
    var size: String?
    /// Base64.
    var md5Hash: String?
    /// Base64, in network order.
    var crc32c: String?
    /// Drive's, hexadecimal.
    var md5Checksum: String?
    var etag: String?

    init?(_ answer: ExchangeOutcome.Response) {
        guard let object = try? JSONDecoder().decode(GoogleObject.self, from: Data(answer.body)) else {
            return nil
        }
        self = object
    }

    /// The digests it tells, the stronger first.
    var told: [ServerDigest] {
        var told: [ServerDigest] = []
        if let data = md5Hash.flatMap({ Data(base64Encoded: $0) }) {
            told.append(ServerDigest(.md5, Array(data)))
        }
        if let bytes = md5Checksum.flatMap({ ServerDigest.unhex($0) }) {
            told.append(ServerDigest(.md5, bytes))
        }
        if let data = crc32c.flatMap({ Data(base64Encoded: $0) }) {
            told.append(ServerDigest(.crc32c, Array(data)))
        }
        return told
    }

    /// Its entity tag, harmless to show.
    var tag: String? { etag.map(ServerText.cleaned) }

    /// The number of its bytes; nil if the service does not say.
    var bytes: ByteCount? { size.flatMap { ByteCount(digits: $0) } }

    /// The address at which people find it; a session's address is not one.
    func location(for address: GoogleAddress) -> String? {
        if let selfLink { return UploadAddress.absolute(selfLink, against: address.url)?.absoluteString }
        guard let id, UploadAddress.withoutQuery(address.url).contains("/upload/drive/") else { return nil }
        return "https://drive.google.com/file/d/\(AddressQuery.encoded(id))/view"
    }
}

/// Finds out what Cloud Storage has under a name, and whether it is this file.
struct GoogleLookup: Sendable {
    enum Verdict {
        case ask(Exchange)
        case free
        case same(Receipt)
        case other
        case failed(ExchangeOutcome.Response)
    }

    /// The name of the file, as asked for.
    let name: String
    private let item: UploadItem
    private let address: GoogleAddress
    private let place: String
    private let compares: Bool

    /// - Parameter compares: False if anything of that name is another file.
    /// - Returns: nil for a service that cannot be asked by name.
    init?(_ name: String, _ item: UploadItem, at address: GoogleAddress, compares: Bool) {
        guard let place = address.object(named: name) else { return nil }
        (self.name, self.item, self.address, self.place) = (name, item, address, place)
        self.compares = compares
    }

    func start() -> Exchange { Exchange(.get, place) }

    /// The object's digests are compared with the file's, which is read for that.
    func receive(_ answer: ExchangeOutcome.Response) -> Verdict {
        switch answer.status {
        case 404, 410: return .free
        case 200..<300: break
        default: return .failed(answer)
        }
        guard compares, let object = GoogleObject(answer), object.bytes == item.size else { return .other }
        var receipt = Receipt(
            location: object.location(for: address), entityTag: object.tag, bytes: item.size, wasThere: true)
        guard let told = object.told.first else { return .same(receipt) }
        guard let ours = answer.digests.first(where: { $0.algorithm == told.algorithm }) else {
            var again = start()
            again.digests = [DigestRequest(told.algorithm, of: 0..<item.size)]
            return .ask(again)
        }
        guard ours.bytes == told.bytes else { return .other }
        receipt.verified = told.algorithm
        return .same(receipt)
    }
}
