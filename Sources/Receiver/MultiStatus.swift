import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore

/// The XML of a 207 response: properties of files and folders (RFC 4918 §13, §15).
struct MultiStatus {
    /// The status 207 (RFC 4918 §11.1).
    private static let code = HTTPResponse.Status(code: 207, reasonPhrase: "Multi-Status")

    private(set) var body = ByteBuffer(
        string: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:multistatus xmlns:D=\"DAV:\">\n")

    /// Adds the properties of an entry. No value needs XML escaping: each name in a URL is percent-encoded, and the
    /// other values contain only numbers, dates and hexadecimal digits.
    mutating func add(_ entry: StoredEntry) {
        let status = entry.status
        let location = StoredPath.location(of: entry.names)
        let href: String
        let kind: String
        switch status.kind {
        case .folder:
            href = location + "/"
            kind = "<D:resourcetype><D:collection/></D:resourcetype>"
        case .file, .link, .special, .missing:
            href = location
            kind =
                "<D:resourcetype/><D:getcontentlength>\(status.size)</D:getcontentlength>"
                + "<D:getetag>\(status.entityTag)</D:getetag>"
        }
        body.writeString(
            "<D:response><D:href>\(href)</D:href><D:propstat><D:prop>\(kind)"
                + "<D:getlastmodified>\(HTTPDate.format(status.modified))</D:getlastmodified></D:prop>"
                + "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\n")
    }

    consuming func response() -> Response {
        body.writeString("</D:multistatus>\n")
        var response = Response(Self.code, fields: [.contentType: "application/xml; charset=utf-8"])
        response.body = body
        return response
    }
}
