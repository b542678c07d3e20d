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

    private static let tooLong = Refusal(
        .insufficientStorage, "The folder has too many files to list them.")
    private static let busy = Refusal(
        .serviceUnavailable, "Too many lists of folders are under way.", fields: [.retryAfter: "1"])

    private enum Listing {
        case nothing
        case tooMany
        /// The lists of folders that are under way use all the memory reserved for them.
        case busy
        /// The response with the list, and the number of bytes that `ListMemory` counts for the list.
        case list(Response, bytes: Int)
    }

    let uploadStore: UploadStore
    let memory: ListMemory
    let allowListing: Bool
    /// The methods that the receiver supports, for the header field `Allow`.
    let methods: String

    /// Serves `PROPFIND`. The response always contains all properties, even if the client requested only some (RFC 4918
    /// §9.1).
    func properties(_ exchange: Exchange, at path: String) async throws -> Response {
        let names: [SafeName]
        do { names = try StoredPath.names(requestPath: path) } catch { throw Refusal(error) }
        let depth = try Self.depth(exchange.head.headerFields)
        if case .children = depth, !allowListing {
            throw Refusal(.forbidden, "This receiver does not list what it has; PROPFIND needs a Depth of 0.")
        }
        switch try await offLoop({ () throws(SystemCallError) in try list(names, depth) }) {
        case .nothing:
            throw Refusal(.notFound, "There is no such file or folder.")
        case .tooMany:
            throw Self.tooLong
        case .busy:
            throw Self.busy
        case .list(let response, let bytes):
            defer { memory.giveBack(bytes) }
            // The list is sent here, because it occupies its memory until the client has read it.
            try await exchange.send(response)
            return Response(response.status)
        }
    }

    /// Reads a folder and makes the list of its entries. Both run on the calling thread, so the number of threads
    /// limits the number of folders in memory at once.
    private func list(_ names: [SafeName], _ depth: UploadStore.Depth) throws(SystemCallError) -> Listing {
        let entries: [StoredEntry]
        switch try uploadStore.find(names, depth) {
        case .nothing: return .nothing
        case .tooMany: return .tooMany
        case .entries(let found): entries = found
        }
        var list = MultiStatus()
        var bytes = 0
        for entry in entries {
            list.add(entry)
            let growth = list.body.capacity - bytes
            let isTooLong = list.body.readableBytes > Self.listBytes
            guard !isTooLong, memory.take(growth) else {
                memory.giveBack(bytes)
                return isTooLong ? .tooMany : .busy
            }
            bytes += growth
        }
        return .list(list.response(), bytes: bytes)
    }

    /// Serves `MKCOL`: creates a folder (RFC 4918 §9.3).
    func makeFolder(_ exchange: Exchange, at path: String) async throws -> Response {
        let names: [SafeName]
        do { names = try StoredPath.names(requestPath: path) } catch { throw Refusal(error) }
        guard exchange.length == 0 else {
            throw Refusal(.unsupportedMediaType, "MKCOL takes no content here.")
        }
        switch try await offLoop({ () throws(SystemCallError) in try uploadStore.makeFolder(names) }) {
        case .made:
            return Response(.created, fields: [.location: StoredPath.location(of: names) + "/"])
        case .nameTaken:
            throw Refusal(
                .methodNotAllowed, "A file or a folder of that name exists.", fields: [.allow: methods])
        case .noParent:
            throw Refusal(.conflict, "The folder that it would be in does not exist.")
        }
    }

    /// Returns the depth that the header field `Depth` requests.
    /// - Throws: `Refusal` with 403 if the value is `infinity` or the field is missing, which means the same (RFC 4918
    ///   §9.1). `Refusal` with 400 for any other value except 0 and 1.
    private static func depth(_ fields: HTTPFields) throws(Refusal) -> UploadStore.Depth {
        switch fields[.depth]?.lowercased() {
        case "0": return .itself
        case "1": return .children(limit: listLimit)
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
