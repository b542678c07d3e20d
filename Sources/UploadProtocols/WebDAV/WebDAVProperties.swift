import FerryFiles
import HTTPTypes

/// The properties of one URL in a response to `PROPFIND` (RFC 4918 §9.1), with XML of any namespace prefixes.
struct WebDAVProperties: Hashable, Sendable {
    /// The path without percent-encoding, and without a slash at its end except for the root.
    var path: String
    /// The last component of the path; empty for the root.
    var name: String { path.split(separator: "/").last.map(String.init) ?? "" }
    var isFolder = false
    var file = FoundFile()
    /// The time when the file or folder was last changed; nil if the server does not report it.
    var modified: Date?
    /// The number of bytes that can still be stored (RFC 4331 §3); negative for ownCloud if it is unknown.
    var quotaAvailable: ByteCount?

    enum Wish: String, Sendable {
        case resourcetype, getcontentlength, getetag, getlastmodified
        case quota = "quota-available-bytes"
        /// ownCloud's and Nextcloud's digests of a file.
        case checksums
    }

    /// Makes the `PROPFIND` request. `depth` is 0 for the URL itself, and 1 to include the entries of a folder.
    static func exchange(_ url: String, depth: Int = 0, _ wishes: [Wish]) -> Exchange {
        let names = wishes.map { wish in
            wish == .checksums ? "<O:checksums xmlns:O=\"\(ownCloud)\"/>" : "<D:\(wish.rawValue)/>"
        }
        let body =
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><D:propfind xmlns:D=\"DAV:\"><D:prop>"
            + names.joined() + "</D:prop></D:propfind>"
        return Exchange(
            .propfind, url, fields: [.depth: "\(depth)", .contentType: "application/xml; charset=utf-8"],
            body: .bytes(Array(body.utf8)))
    }

    /// Returns the properties of all URLs for which the server reports no error; nil without a 207.
    static func list(in response: ExchangeOutcome.Response) -> [WebDAVProperties]? {
        guard response.status == 207, let root = XMLDocument.parse(response.body), root.name == "multistatus",
            root.namespace == dav
        else { return nil }
        return root.children(named: "response", in: dav).compactMap(WebDAVProperties.init)
    }

    /// Returns the properties of the URL `address` from the response, or else those of its first URL.
    static func one(in response: ExchangeOutcome.Response, at address: WebDAVAddress) -> WebDAVProperties? {
        guard let all = list(in: response) else { return nil }
        let path = normalized(address.path)
        return all.first { $0.path == path } ?? all.first
    }

    private init?(_ response: XMLElement) {
        guard let href = response.child(named: "href", in: Self.dav)?.text else { return nil }
        path = Self.normalized(URL(string: href)?.path(percentEncoded: true) ?? href)
        // An error status of the whole element means that the URL has no known properties.
        if let status = response.child(named: "status", in: Self.dav), !Self.isSuccess(status.text) {
            return nil
        }
        for group in response.children(named: "propstat", in: Self.dav)
        where Self.isSuccess(group.child(named: "status", in: Self.dav)?.text ?? "") {
            for property in group.child(named: "prop", in: Self.dav)?.children ?? [] { take(property) }
        }
    }

    private mutating func take(_ property: XMLElement) {
        switch (property.namespace, property.name) {
        case (Self.dav, "resourcetype"): isFolder = property.child(named: "collection", in: Self.dav) != nil
        case (Self.dav, "getcontentlength"): file.size = ByteCount(digits: property.text)
        case (Self.dav, "getetag"): file.entityTag = property.text.isEmpty ? nil : property.text
        case (Self.dav, "getlastmodified"):
            file.modified = property.text.isEmpty ? nil : property.text
            // WebDAV dates have four-digit years (RFC 4918 §15.7), so `now` does not matter.
            modified = HTTPDate.parse(property.text, now: .distantPast)
        case (Self.dav, "quota-available-bytes"): quotaAvailable = ByteCount(property.text)
        case (Self.ownCloud, "checksums"):
            let all = [property.text] + property.descendants.map(\.text)
            var fields = HTTPFields()
            fields[.ocChecksum] = all.filter { HTTPField.isValidValue($0) }.joined(separator: " ")
            file.reported = ServerDigest.in(fields)
        default: break
        }
    }

    private static func isSuccess(_ status: String) -> Bool {
        status.split(separator: " ").dropFirst().first.map { $0.hasPrefix("2") } ?? false
    }

    private static func normalized(_ path: String) -> String {
        let plain = path.percentDecoded() ?? path
        return plain.count > 1 && plain.hasSuffix("/") ? String(plain.dropLast()) : plain
    }

    static let dav = "DAV:"
    static let ownCloud = "http://owncloud.org/ns"
}
