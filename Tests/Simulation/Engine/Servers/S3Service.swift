import FerryProtocols
import FerryTestSupport
import FerryUploads
import HTTPTypes

/// An S3 bucket with whole objects and multipart uploads.
struct S3Service: Service {
    private struct Multipart {
        var owner: Upload.ID
        var parts: [Int: Content] = [:]
    }

    private var uploads: [String: Multipart] = [:]
    private var objects: [String: Content] = [:]
    private var lastUpload = 0

    mutating func answer(_ request: ServerRequest) -> ExchangeOutcome.Response {
        let exchange = request.exchange
        let query = Self.query(of: exchange.url)
        guard let id = query["uploadId"] else { return answerWhole(request, query) }
        guard let upload = uploads[id] else { return Self.error(404, "NoSuchUpload") }
        switch exchange.method {
        case .put:
            guard let number = query["partNumber"].flatMap({ Int($0) }) else {
                return Self.error(400, "InvalidRequest")
            }
            uploads[id]?.parts[number] = request.body
            return ExchangeOutcome.Response(200, ["ETag": Self.tag(request.body)])
        case .get: return list(upload)
        case .post: return complete(exchange, upload, id)
        case .delete:
            uploads[id] = nil
            return ExchangeOutcome.Response(204)
        default: return Self.error(405, "MethodNotAllowed")
        }
    }

    private mutating func answerWhole(_ request: ServerRequest, _ query: [String: String])
        -> ExchangeOutcome.Response
    {
        let path = request.exchange.path
        switch request.exchange.method {
        case .post where query["uploads"] != nil:
            lastUpload += 1
            uploads["U\(lastUpload)"] = Multipart(owner: request.owner)
            return ExchangeOutcome.Response(
                200, [:],
                "<InitiateMultipartUploadResult><UploadId>U\(lastUpload)</UploadId></InitiateMultipartUploadResult>"
            )
        case .put:
            objects[path] = request.body
            return ExchangeOutcome.Response(200, ["ETag": Self.tag(request.body)])
        case .head:
            guard let object = objects[path] else { return ExchangeOutcome.Response(404) }
            return ExchangeOutcome.Response(
                200, ["ETag": Self.tag(object), "Content-Length": "\(object.count)"])
        default: return Self.error(405, "MethodNotAllowed")
        }
    }

    private func list(_ upload: Multipart) -> ExchangeOutcome.Response {
        let parts = upload.parts.sorted { $0.key < $1.key }.map { number, content in
            "<Part><PartNumber>\(number)</PartNumber><ETag>\(Self.tag(content))</ETag><Size>\(content.count)</Size></Part>"
        }
        return ExchangeOutcome.Response(
            200, [:],
            "<ListPartsResult><UploadId>U</UploadId><IsTruncated>false</IsTruncated>\(parts.joined())</ListPartsResult>"
        )
    }

    private mutating func complete(_ exchange: Exchange, _ upload: Multipart, _ id: String)
        -> ExchangeOutcome.Response
    {
        guard case .bytes(let bytes) = exchange.body else { return Self.error(400, "MalformedXML") }
        var content = Content()
        for element in String(decoding: bytes, as: UTF8.self).split(separator: "<PartNumber>").dropFirst() {
            let number = Int(element.prefix { $0 != "<" }) ?? 0
            guard let part = upload.parts[number], element.contains("<ETag>\(Self.tag(part))</ETag>") else {
                return Self.error(400, "InvalidPart")
            }
            content.append(part)
        }
        uploads[id] = nil
        objects[exchange.path] = content
        return ExchangeOutcome.Response(
            200, [:],
            "<CompleteMultipartUploadResult><ETag>\(Self.tag(content))</ETag></CompleteMultipartUploadResult>"
        )
    }

    func holds(_ content: Content, of owner: Upload.ID) -> Bool { objects.values.contains(content) }

    /// Returns true if an object of this size has more than one run. The owner need not be compared, as no two uploads
    /// have the same object name.
    func hasSpliced(of owner: Upload.ID, size: ByteCount) -> Bool {
        objects.values.contains { $0.count == size && $0.runs.count > 1 }
    }

    func held(at url: String) -> ByteCount? {
        Self.query(of: url)["uploadId"].flatMap { uploads[$0] }
            .map { $0.parts.values.reduce(0) { $0 + $1.count } }
    }

    mutating func crash(isForgetful: Bool, _ random: inout SeededGenerator) -> [Upload.ID] {
        guard isForgetful, let id = uploads.keys.sorted().randomElement(using: &random),
            let upload = uploads.removeValue(forKey: id)
        else { return [] }
        return [upload.owner]
    }

    /// Returns an entity tag that cannot be taken for an MD5.
    private static func tag(_ content: Content) -> String {
        "tag-"
            + content.runs.map { "\($0.file).\($0.version).\($0.range.lowerBound)-\($0.range.upperBound)" }
            .joined(separator: "+")
    }

    private static func query(of url: String) -> [String: String] {
        let text = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let pairs = text.split(separator: "&").map { pair in
            let both = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            return (both[0], both.count > 1 ? both[1] : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func error(_ status: Int, _ code: String) -> ExchangeOutcome.Response {
        ExchangeOutcome.Response(status, [:], "<Error><Code>\(code)</Code><Message>no</Message></Error>")
    }
}
