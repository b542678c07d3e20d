import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore

/// The subset of WebDAV (RFC 4918) that a client needs to copy a tree of files into the receiver's folder, and to list
/// the folder. Nothing can be moved, removed or locked.
struct WebDAVFolders: Sendable {
    /// The maximum number of names in a list. Larger folders are refused: a partial list would look complete.
    static let listLimit = 10_000
    /// The maximum number of bytes of a list. Each entry repeats the folder's path, so long paths make a list large.
    private static let listBytes = 16 << 20

    /// The status 207 (RFC 4918 §11.1).
    private static let multiStatus = HTTPResponse.Status(code: 207, reasonPhrase: "Multi-Status")

    static let tooLong = Refusal(
        .insufficientStorage, "The folder has too many files to list them.")

    let uploadStore: UploadStore
    /// The bytes of all lists that the receiver is making or sending.
    let memory: ByteQuota
    let allowListing: Bool
    let methods: String

    /// Serves `PROPFIND`, always with all properties, as RFC 4918 §9.1 allows.
    func properties(_ exchange: Exchange, at path: String) async throws -> Response {
        let names = try StoredPath.names(requestPath: path)
        let hasChildren = try Self.hasChildren(exchange.head.headerFields)
        if hasChildren, !allowListing {
            throw Refusal(.forbidden, "This receiver does not list what it has; PROPFIND needs a Depth of 0.")
        }
        let (response, bytes) = try await offLoop { try list(names, hasChildren: hasChildren) }
        defer { memory.giveBack(bytes) }
        // The list is sent here, because it occupies its memory until the client has read it.
        try await exchange.send(response)
        return Response(response.status)
    }

    /// Reads a folder, and makes the list of its entries. Both run on the calling thread, so the number of threads
    /// limits the number of folders in memory at once. The result has the bytes that `memory` counts for the list.
    private func list(_ names: [SafeName], hasChildren: Bool) throws -> (Response, bytes: Int) {
        guard let entries = try uploadStore.find(names, childLimit: hasChildren ? Self.listLimit : nil) else {
            throw Refusal(.notFound, "There is no such file or folder.")
        }
        var body = ByteBuffer(
            string: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:multistatus xmlns:D=\"DAV:\">\n")
        var bytes = 0
        for entry in entries {
            body.writeString(Self.xml(of: entry))
            let growth = body.capacity - bytes
            let isTooLong = body.readableBytes > Self.listBytes
            guard !isTooLong, memory.take(growth) else {
                memory.giveBack(bytes)
                let busy = Refusal(
                    .serviceUnavailable, "Too many lists of folders are under way.",
                    fields: [.retryAfter: "1"])
                throw isTooLong ? Self.tooLong : busy
            }
            bytes += growth
        }
        body.writeString("</D:multistatus>\n")
        var response = Response(Self.multiStatus, fields: [.contentType: "application/xml; charset=utf-8"])
        response.body = body
        return (response, bytes)
    }

    /// Returns the properties of an entry (RFC 4918 §13, §15). No value needs XML escaping: names are percent-encoded,
    /// and the other values contain only numbers, dates and hexadecimal digits.
    private static func xml(of entry: StoredEntry) -> String {
        let status = entry.status
        let isFolder = status.kind == .folder
        let kind =
            isFolder
            ? "<D:resourcetype><D:collection/></D:resourcetype>"
            : "<D:resourcetype/><D:getcontentlength>\(status.size)</D:getcontentlength>"
                + "<D:getetag>\(status.entityTag)</D:getetag>"
        return "<D:response><D:href>\(StoredPath.location(of: entry.names))\(isFolder ? "/" : "")</D:href>"
            + "<D:propstat><D:prop>\(kind)"
            + "<D:getlastmodified>\(HTTPDate.format(status.modified))</D:getlastmodified></D:prop>"
            + "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\n"
    }

    /// Serves `MKCOL`: creates a folder in an existing folder (RFC 4918 §9.3).
    func makeFolder(_ exchange: Exchange, at path: String) async throws -> Response {
        let names = try StoredPath.names(requestPath: path)
        guard exchange.length == 0 else {
            throw Refusal(.unsupportedMediaType, "MKCOL takes no content here.")
        }
        let nameTaken = Refusal(
            .methodNotAllowed, "A file or a folder of that name exists.", fields: [.allow: methods])
        guard let last = names.last else { throw nameTaken }
        try await offLoop {
            let parent: Directory
            do { parent = try uploadStore.folder(names.dropLast()) } catch let error as SystemCallError
                where error.code == .noSuchFileOrDirectory
            {
                throw Refusal(.conflict, "The folder that it would be in does not exist.")
            }
            do { try uploadStore.make(last, in: parent) } catch let error as SystemCallError
                where error.code == .fileExists
            {
                throw nameTaken
            }
        }
        return Response(.created, fields: [.location: StoredPath.location(of: names) + "/"])
    }

    /// Returns true if the header field `Depth` requests the entries of a folder, too.
    /// - Throws: `Refusal` with 403 if the value is `infinity` or the field is missing, which means the same (RFC 4918
    ///   §9.1). `Refusal` with 400 for any other value except 0 and 1.
    private static func hasChildren(_ fields: HTTPFields) throws(Refusal) -> Bool {
        switch fields[.depth]?.lowercased() {
        case "0": return false
        case "1": return true
        case nil, "infinity":
            var refusal = Refusal(.forbidden, "PROPFIND needs a Depth of 0 or 1.")
            refusal.response.fields[.contentType] = "application/xml; charset=utf-8"
            refusal.response.body = ByteBuffer(
                string: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                    + "<D:error xmlns:D=\"DAV:\"><D:propfind-finite-depth/></D:error>\n")
            throw refusal
        default: throw Refusal(.badRequest, "Depth is 0 or 1.")
        }
    }
}

extension HTTPRequest.Method {
    // The initializer returns nil only for a name that is not a token, so `.options` is never used.
    static let propfind = HTTPRequest.Method("PROPFIND") ?? .options
    static let mkcol = HTTPRequest.Method("MKCOL") ?? .options
}
