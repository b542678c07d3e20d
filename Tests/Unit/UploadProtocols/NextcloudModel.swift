import Foundation
import HTTPTypes

@testable import FerryProtocols

/// A model of a Nextcloud server with chunked upload, version 2, as its developer manual describes it. It keeps sizes
/// instead of bytes.
struct NextcloudModel {
    static let files = "/remote.php/dav/files/ann/"
    static let uploads = "/remote.php/dav/uploads/ann/"

    /// The sizes of finished files, by path without percent-encoding.
    var files: [String: ByteCount] = [:]
    /// The number of times that each file was written. It serves as the entity tag.
    private(set) var writes: [String: Int] = [:]
    var folders: Set<String> = [Self.files]
    /// The sizes of chunks of unfinished uploads, by folder and name.
    var pending: [String: [String: ByteCount]] = [:]
    /// The responses to the next requests with these methods. They are sent instead of carrying the requests out.
    var refusals: [(method: String, status: Int)] = []
    /// True if the server confirms `MOVE` without carrying it out.
    var dropsMoves = false
    /// The digest that the server reports for a file; nil if it cannot compute one.
    var hash: String?
    /// All requests, in order.
    private(set) var log: [Exchange] = []

    var lines: [String] {
        log.map { "\($0.method.rawValue) \(WebDAVAddress($0.url).path.removingPercentEncoding ?? "")" }
    }

    mutating func answer(_ exchange: Exchange) -> ExchangeOutcome.Response {
        log.append(exchange)
        let address = WebDAVAddress(exchange.url)
        let path = address.path.removingPercentEncoding ?? address.path
        if let refusal = refusals.firstIndex(where: { $0.method == exchange.method.rawValue }) {
            return .init(status: refusals.remove(at: refusal).status)
        }
        switch exchange.method.rawValue {
        case "PROPFIND": return properties(path)
        case "MKCOL": return make(path, exchange)
        case "PUT": return put(exchange, path, address)
        case "MOVE": return assemble(exchange, address)
        case "DELETE": return .init(status: pending.removeValue(forKey: path) == nil ? 404 : 204)
        case "PATCH":
            guard let hash, exchange.fields[.recalculateHash] != nil else { return .init(status: 501) }
            return .init(status: 204, fields: [.ocChecksum: hash])
        default: return .init(status: 405)
        }
    }

    private func properties(_ path: String) -> ExchangeOutcome.Response {
        var entries: [(String, ByteCount?)] = []
        if let size = files[path] { entries.append((path, size)) }
        if folders.contains(path) { entries.append((path, nil)) }
        if path == Self.uploads {
            entries = [(path, nil)] + pending.keys.map { ($0, nil) }
        } else if let chunks = pending[path] {
            entries = [(path, nil), (path + ".file", 0)] + chunks.map { (path + $0.key, $0.value) }
        }
        guard !entries.isEmpty else { return .init(status: 404) }
        let responses = entries.map { path, size in
            let property =
                size.map {
                    "<d:getcontentlength>\($0)</d:getcontentlength><d:resourcetype/>"
                        + "<d:getetag>\"\(writes[path, default: 0])\"</d:getetag>"
                }
                ?? "<d:resourcetype><d:collection/></d:resourcetype>"
            return """
                <d:response><d:href>\(WebDAVAddress.quoted(path).replacing("%2F", with: "/"))</d:href><d:propstat>\
                <d:prop>\(property)</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
                """
        }
        let body = "<d:multistatus xmlns:d=\"DAV:\">" + responses.joined() + "</d:multistatus>"
        return .init(status: 207, body: Array(body.utf8))
    }

    private mutating func make(_ path: String, _ exchange: Exchange) -> ExchangeOutcome.Response {
        if path.hasPrefix(Self.uploads) {
            guard exchange.fields[.destination] != nil else { return .init(status: 400) }
            guard pending[path] == nil else { return .init(status: 405) }
            pending[path] = [:]
            return .init(status: 201)
        }
        if folders.contains(path) { return .init(status: 405) }
        let parent = path.dropLast()
        guard let slash = parent.lastIndex(of: "/"), folders.contains(String(parent[...slash])) else {
            return .init(status: 409)
        }
        folders.insert(path)
        return .init(status: 201)
    }

    private mutating func put(_ exchange: Exchange, _ path: String, _ address: WebDAVAddress)
        -> ExchangeOutcome.Response
    {
        let size = exchange.contentLength
        guard path.hasPrefix(Self.uploads) else {
            guard folders.contains(address.folder) else { return .init(status: 404) }
            if files[path] != nil, exchange.fields[.ifNoneMatch] == "*" { return .init(status: 412) }
            files[path] = size
            writes[path, default: 0] += 1
            return .init(status: 201)
        }
        guard pending[address.folder] != nil else { return .init(status: 404) }
        guard exchange.fields[.destination] != nil, exchange.fields[.ocTotalLength] != nil,
            (1...10_000).contains(Int(address.last) ?? 0)
        else { return .init(status: 400) }
        pending[address.folder]?[address.last] = size
        return .init(status: 201)
    }

    private mutating func assemble(_ exchange: Exchange, _ address: WebDAVAddress) -> ExchangeOutcome.Response
    {
        guard address.last == ".file", let chunks = pending[address.folder] else { return .init(status: 404) }
        let target = WebDAVAddress(exchange.fields[.destination] ?? "").path
        let place = target.removingPercentEncoding ?? target
        if files[place] != nil, exchange.fields[.overwrite] == "F" { return .init(status: 412) }
        let total = chunks.values.reduce(0, +)
        guard exchange.fields[.ocTotalLength] == "\(total)" else { return .init(status: 400) }
        pending[address.folder] = nil
        if dropsMoves { return .init(status: 201) }
        files[place] = total
        writes[place, default: 0] += 1
        return .init(status: 201)
    }
}

/// Runs the protocol against the model until it ends. Of several concurrent requests, the last one gets its response
/// first.
struct NextcloudRun {
    var model = NextcloudModel()
    var resource: UploadResource?
    var digest: [UInt8] = [1, 2, 3]

    static let url = "http://cloud.example" + NextcloudModel.files

    /// Uploads a file.
    ///
    /// - Parameter lose: Returns true for a request whose response is lost. With `reaches` the server has carried it
    ///   out.
    mutating func upload(
        _ item: UploadItem, _ options: ProtocolOptions = .init(chunkSize: 5 << 20), reaches: Bool = true,
        lose: (Exchange) -> Bool = { _ in false }
    ) -> Step {
        var upload = NextcloudUpload(item: item, options: options)
        var step = upload.start(resource: resource, capabilities: nil)
        var underWay: [Exchange] = []
        for _ in 0..<200 {
            for case .resource(let noted) in step.notes { resource = noted }
            switch step {
            case .send(let exchange, _): underWay.append(exchange)
            case .sendAll(let exchanges, _): underWay += exchanges
            case .wait: break
            case .done, .failed:
                if step.receipt != nil { resource = nil }
                return step
            }
            guard let exchange = underWay.popLast() else { return step }
            if let mark = exchange.markBeforeLastBytes { resource = mark }
            if lose(exchange) {
                if reaches { _ = model.answer(exchange) }
                step = upload.receive(.broke(afterSending: 0), to: exchange)
            } else {
                var answer = model.answer(exchange)
                answer.digests = exchange.digests(after: answer, bytes: digest)
                step = upload.receive(.responded(answer), to: exchange)
            }
        }
        return step
    }
}
