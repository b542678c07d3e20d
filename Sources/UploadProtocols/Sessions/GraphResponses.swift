import FerryFiles

/// Graph's description of an upload session (`uploadSession`).
struct GraphSessionResponse: Decodable {
    var uploadUrl: String?
    /// The time when the session expires, in the form of RFC 3339.
    var expirationDateTime: String?
    var nextExpectedRanges: [String]?

    var expires: Date? {
        guard let expirationDateTime else { return nil }
        return (try? Date.ISO8601FormatStyle().parse(expirationDateTime))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(expirationDateTime))
    }
}

/// Graph's description of a stored file (`driveItem`).
struct GraphItem: Decodable {
    struct File: Decodable { var hashes: Hashes? }

    /// The digests of the file, in hexadecimal, as far as this kind of drive reports them.
    struct Hashes: Decodable {
        var sha256Hash: String?
        var sha1Hash: String?
    }

    var id: String?
    var size: ByteCount?
    var eTag: String?
    /// The URL at which a user can open the file in a browser.
    var webUrl: String?
    var file: File?

    var reported: [ServerDigest] {
        [
            ServerDigest(.sha256, hex: file?.hashes?.sha256Hash),
            ServerDigest(.sha1, hex: file?.hashes?.sha1Hash),
        ].compactMap(\.self)
    }
}

extension ExchangeOutcome.Response {
    /// Returns the value of the JSON body; nil if it is not of this type.
    func decoded<Value: Decodable>(as type: Value.Type) -> Value? {
        try? JSONDecoder().decode(type, from: Data(body))
    }

    /// Returns the file's computed digest of this algorithm; nil if there is none.
    func digest(_ algorithm: DigestAlgorithm) -> [UInt8]? {
        digests.first { $0.algorithm == algorithm }?.bytes
    }
}
