import Foundation
import HTTPTypes

@testable import FerryProtocols

/// A model of a WebDAV server (RFC 4918), with the differences between real servers.
struct WebDAVModel {
    enum RangeHabit {
        case honours
        /// The server responds with 501, as nginx does.
        case refuses
        /// The server stores the part as the whole file, as rclone does.
        case ignores
    }

    /// The sizes of files, by path without percent-encoding.
    var files: [String: ByteCount] = [:]
    /// The paths of folders, each with a slash at its end.
    var folders: Set<String> = ["/", "/files/"]
    var ranges = RangeHabit.refuses
    var takesPropfind = true
    var moveStatus: Int?
    var dav = "1, 2"
    /// The digests that the server reports for every file, in a form such as `SHA256:HEX`; nil if it reports none.
    var checksums: String?
    /// The number of bytes of each `PUT` that the server stores.
    var keeps: ByteCount = .max
    /// True if the server sends an entity tag for each version of a file.
    var tellsTags = false
    /// The modification time that the server reports for new files; nil if it reports none.
    var time: String?
    /// The path to which `MOVE` moves a file instead of `Destination`, as behind a proxy that maps paths; nil for the
    /// right one.
    var detour: String?
    /// The statuses of lookups (PROPFIND) of these paths.
    var lookStatus: [String: Int] = [:]
    /// The status of `PATCH`; nil if it succeeds.
    var patchStatus: Int?
    /// The status of every `PUT`; nil if it succeeds.
    var putStatus: Int?
    /// The status of `PUT` if the folder is missing.
    var missingFolderStatus = 409
    /// The maximum number of bytes of a request; nil for no limit.
    var largestRequest: ByteCount?
    /// The version of each file. `MOVE` moves it with the file.
    private(set) var versions: [String: String] = [:]
    private(set) var times: [String: String] = [:]
    private(set) var writes = 0
    /// The requests so far, in a short form.
    private(set) var log: [String] = []

    mutating func answer(_ exchange: Exchange) -> ExchangeOutcome.Response {
        let address = WebDAVAddress(exchange.url)
        let path = address.path.removingPercentEncoding ?? address.path
        log.append("\(exchange.method.rawValue) \(path)")
        switch exchange.method.rawValue {
        case "OPTIONS": return .init(status: 200, fields: [.dav: dav])
        case "PROPFIND" where lookStatus[path] != nil: return .init(status: lookStatus[path] ?? 0)
        case "PROPFIND" where takesPropfind: return properties(path)
        case "HEAD":
            guard let size = files[path] else { return .init(status: folders.contains(path) ? 200 : 404) }
            return .init(status: 200, fields: [.contentLength: "\(size)"])
        case "MKCOL":
            if folders.contains(path) { return .init(status: 405) }
            let parent = path.dropLast().prefix { _ in true }
            let end = parent.lastIndex(of: "/") ?? parent.startIndex
            guard folders.contains(String(parent[...end])) else { return .init(status: 409) }
            folders.insert(path)
            return .init(status: 201)
        case "PUT", "PATCH":
            if let largestRequest, exchange.contentLength > largestRequest { return .init(status: 413) }
            if exchange.method == .patch, let patchStatus { return .init(status: patchStatus) }
            if exchange.method == .put, let putStatus { return .init(status: putStatus) }
            writes += 1
            versions[path] = "v\(writes)"
            times[path] = time
            return write(exchange, path)
        case "DELETE": return .init(status: files.removeValue(forKey: path) == nil ? 404 : 204)
        case "MOVE": return move(exchange, path)
        default: return .init(status: 405)
        }
    }

    /// Adds a file, as another client does.
    mutating func put(_ path: String, size: ByteCount) {
        writes += 1
        files[path] = size
        versions[path] = "v\(writes)"
        times[path] = time
    }

    private func properties(_ path: String) -> ExchangeOutcome.Response {
        let isFolder = folders.contains(path) || folders.contains(path + "/")
        let size = files[path]
        guard isFolder || size != nil else { return .init(status: 404) }
        let known = isFolder ? "<x:collection/>" : ""
        let length = size.map { "<x:getcontentlength>\($0)</x:getcontentlength>" } ?? ""
        let tag =
            tellsTags ? versions[path].map { "<x:getetag>\"\($0)\"</x:getetag>" } ?? "" : ""
        let modified = times[path].map { "<x:getlastmodified>\($0)</x:getlastmodified>" } ?? ""
        let sums = checksums.map { "<o:checksums><o:checksum>\($0)</o:checksum></o:checksums>" } ?? ""
        let body = """
            <?xml version="1.0"?><x:multistatus xmlns:x="DAV:" xmlns:o="http://owncloud.org/ns"><x:response>\
            <x:href>\(WebDAVAddress.quoted(path).replacing("%2F", with: "/"))</x:href><x:propstat><x:prop>\
            <x:resourcetype>\(known)</x:resourcetype>\(length)\(tag)\(modified)\(sums)\
            </x:prop>\
            <x:status>HTTP/1.1 200 OK</x:status></x:propstat></x:response></x:multistatus>
            """
        return .init(status: 207, body: Array(body.utf8))
    }

    private mutating func write(_ exchange: Exchange, _ path: String) -> ExchangeOutcome.Response {
        guard folders.contains(where: { path.hasPrefix($0) && !path.dropFirst($0.count).contains("/") })
        else { return .init(status: missingFolderStatus) }
        var range: Range<ByteCount> = 0..<0
        if case .file(let sent, _, _) = exchange.body { range = sent }
        let end = min(range.upperBound, keeps)
        if exchange.method == .patch {
            guard files[path] == range.lowerBound else { return .init(status: 416) }
            files[path] = end
        } else if exchange.fields[.contentRange] != nil {
            switch ranges {
            case .refuses: return .init(status: 501)
            case .honours: files[path] = max(files[path] ?? 0, end)
            case .ignores: files[path] = range.upperBound - range.lowerBound
            }
        } else {
            files[path] = end
        }
        return .init(status: 201)
    }

    private mutating func move(_ exchange: Exchange, _ path: String) -> ExchangeOutcome.Response {
        if let moveStatus { return .init(status: moveStatus) }
        guard let size = files[path] else { return .init(status: 404) }
        let target = WebDAVAddress(exchange.fields[.destination] ?? "").path
        let place = (detour ?? "") + (target.removingPercentEncoding ?? target)
        if files[place] != nil, exchange.fields[.overwrite] == "F" { return .init(status: 412) }
        files[path] = nil
        files[place] = size
        versions[place] = versions.removeValue(forKey: path)
        times[place] = times.removeValue(forKey: path)
        return .init(status: 201)
    }
}

/// Runs a protocol against the model until it ends.
struct WebDAVRun {
    var model: WebDAVModel
    var resource: UploadResource?
    var capabilities: ServerCapabilities?
    /// The digest of every file.
    var digest: [UInt8] = [1, 2, 3]
    /// The number of bytes that the server was reported to have lost.
    var lost: ByteCount = 0

    /// Uploads a file.
    ///
    /// - Parameter lose: Returns true for a request whose response is lost. With `reaches` the server has carried it
    ///   out.
    mutating func upload(
        _ item: UploadItem = .make(), _ options: ProtocolOptions = .init(), reaches: Bool = true,
        lose: (Exchange) -> Bool = { _ in false }
    ) -> Step {
        var upload = WebDAVUpload(item: item, options: options)
        var step = upload.start(resource: resource, capabilities: capabilities)
        for _ in 0..<100 {
            for note in step.notes {
                switch note {
                case .resource(let noted): resource = noted
                case .capabilities(let found): capabilities = found
                case .serverLost(let bytes): lost += bytes
                }
            }
            guard let exchange = step.exchange else { break }
            if let mark = exchange.markBeforeLastBytes { resource = mark }
            if lose(exchange) {
                if reaches { _ = model.answer(exchange) }
                step = upload.receive(.broke(afterSending: 0))
            } else {
                var answer = model.answer(exchange)
                answer.digests = exchange.digests(after: answer, bytes: digest)
                step = upload.receive(.responded(answer))
            }
        }
        if step.receipt != nil { resource = nil }
        return step
    }
}
