import FerryProtocols
import FerryUploads
import Foundation
import HTTPTypes

/// A WebDAV server that writes a file when its request is complete, and appends by SabreDAV's `PATCH`.
struct WebDAVService: Service {
    private var files: [String: Content] = [:]
    private var folders: Set<String> = ["/", "/files/"]
    private var versions: [String: Int] = [:]
    private var writes = 0

    mutating func answer(_ request: ServerRequest) -> ExchangeOutcome.Response {
        let exchange = request.exchange
        let path = Self.path(exchange.url)
        switch exchange.method.rawValue {
        case "OPTIONS": return ExchangeOutcome.Response(200, ["DAV": "1, 2, sabredav-partialupdate"])
        case "PROPFIND": return properties(path)
        case "MKCOL":
            guard folders.insert(path).inserted else { return ExchangeOutcome.Response(405) }
            return ExchangeOutcome.Response(201)
        case "PUT": return write(request.body, to: path)
        case "PATCH":
            guard let offset = exchange.range?.lowerBound, var content = files[path], content.count == offset
            else { return ExchangeOutcome.Response(416) }
            content.append(request.body)
            return write(content, to: path)
        case "DELETE":
            versions[path] = nil
            return ExchangeOutcome.Response(files.removeValue(forKey: path) == nil ? 404 : 204)
        case "MOVE": return move(path, to: Self.path(exchange.value("Destination") ?? ""), exchange)
        default: return ExchangeOutcome.Response(405)
        }
    }

    private mutating func write(_ content: Content, to path: String) -> ExchangeOutcome.Response {
        writes += 1
        files[path] = content
        versions[path] = writes
        return ExchangeOutcome.Response(201)
    }

    private mutating func move(_ path: String, to other: String, _ exchange: Exchange)
        -> ExchangeOutcome.Response
    {
        guard let content = files[path] else { return ExchangeOutcome.Response(404) }
        if files[other] != nil, exchange.value("Overwrite") == "F" { return ExchangeOutcome.Response(412) }
        files[path] = nil
        files[other] = content
        versions[other] = versions.removeValue(forKey: path)
        return ExchangeOutcome.Response(201)
    }

    private func properties(_ path: String) -> ExchangeOutcome.Response {
        let isFolder = folders.contains(path) || folders.contains(path + "/")
        let content = files[path]
        guard isFolder || content != nil else { return ExchangeOutcome.Response(404) }
        let known = isFolder ? "<x:collection/>" : ""
        let length = content.map { "<x:getcontentlength>\($0.count)</x:getcontentlength>" } ?? ""
        let tag = versions[path].map { "<x:getetag>\"v\($0)\"</x:getetag>" } ?? ""
        return ExchangeOutcome.Response(
            207, [:],
            "<?xml version=\"1.0\"?><x:multistatus xmlns:x=\"DAV:\"><x:response><x:href>\(path)</x:href>"
                + "<x:propstat><x:prop><x:resourcetype>\(known)</x:resourcetype>\(length)\(tag)</x:prop>"
                + "<x:status>HTTP/1.1 200 OK</x:status></x:propstat></x:response></x:multistatus>")
    }

    func holds(_ content: Content, of owner: Upload.ID) -> Bool { files.values.contains(content) }
    func held(at url: String) -> ByteCount? { files[Self.path(url)]?.count }

    private static func path(_ url: String) -> String {
        let authority = url.range(of: "://")?.upperBound ?? url.startIndex
        return String(url[authority...].drop { $0 != "/" }.prefix { $0 != "?" })
    }
}
