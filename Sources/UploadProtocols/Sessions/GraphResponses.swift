import FerryFiles

/// Graph's description of an upload session (`uploadSession`).
struct GraphSessionResponse: Decodable {
    var uploadUrl: String?
    /// The time when the session expires, in the form of RFC 3339.
    var expirationDateTime: String?
    var nextExpectedRanges: [String]?

    init?(_ response: ExchangeOutcome.Response) {
        guard let session = try? JSONDecoder().decode(Self.self, from: Data(response.body)) else {
            return nil
        }
        self = session
    }

    var expires: Date? {
        guard let expirationDateTime else { return nil }
        let style = Date.ISO8601FormatStyle()
        return (try? style.parse(expirationDateTime))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(expirationDateTime))
    }
}

/// Graph's description of a stored file (`driveItem`).
struct GraphItem: Decodable {
    struct File: Decodable {
        var hashes: Hashes?
    }

    /// The digests of the file, in hexadecimal. A digest is nil if this kind of drive does not report it.
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

    init?(_ response: ExchangeOutcome.Response) {
        guard let item = try? JSONDecoder().decode(Self.self, from: Data(response.body)) else { return nil }
        self = item
    }

    var reported: [ServerDigest] {
        [
            ServerDigest(.sha256, hex: file?.hashes?.sha256Hash),
            ServerDigest(.sha1, hex: file?.hashes?.sha1Hash),
        ].compactMap(\.self)
    }
}
