import Foundation
import HTTPTypes

@testable import FerryProtocols

/// A model of an S3 server with one bucket. It keeps sizes and digests instead of bytes.
struct FakeS3 {
    struct Part: Equatable {
        var range: Range<ByteCount>
        var tag: String
        var digests: [DigestAlgorithm: [UInt8]] = [:]
    }

    struct Object {
        var parts: [Part]
        var tag: String
        var size: ByteCount { parts.reduce(0) { $0 + $1.range.upperBound - $1.range.lowerBound } }
    }

    /// The content of the file, for tests about digests; nil if only ranges matter.
    var file: [UInt8]?
    var uploads: [String: [Int: Part]] = [:]
    var objects: [String: Object] = [:]
    /// The part numbers of each completion, in its order.
    var completions: [[Int]] = []
    /// The numbers of all received parts.
    var received: [Int] = []
    var pageSize = 1000
    /// True if the server reports digests in its responses.
    var tells = true
    private var begun = 0

    init(file: [UInt8]? = nil) { self.file = file }

    /// Returns the digests that an attempt computes for an exchange.
    func digests(_ exchange: Exchange) -> [ComputedDigest] {
        exchange.digests.map { order in
            let bytes = file.map { Array($0[Int(order.range.lowerBound)..<Int(order.range.upperBound)]) }
            return ComputedDigest(
                order.algorithm, of: order.range,
                bytes: bytes.map { RunningDigest.of($0, order.algorithm) }
                    ?? RunningDigest.of(Array("\(order.range)".utf8), order.algorithm))
        }
    }

    mutating func reply(to exchange: Exchange) -> ExchangeOutcome {
        guard case .responded(var answer) = answer(exchange) else { return answer(exchange) }
        answer.digests = digests(exchange)
        return .responded(answer)
    }

    static func error(_ status: Int, _ code: String, _ more: String = "") -> ExchangeOutcome {
        .answer(status, body: "<Error><Code>\(code)</Code><Message>Told by a test.</Message>\(more)</Error>")
    }

    private mutating func answer(_ exchange: Exchange) -> ExchangeOutcome {
        let parts = exchange.url.split(separator: "?", maxSplits: 1).map(String.init)
        let query = Dictionary(
            (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
                let both = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
                return (both[0], both.count > 1 ? both[1].removingPercentEncoding ?? "" : "")
            }
        ) { first, _ in first }
        switch (exchange.method, query["uploadId"]) {
        case (.post, nil):
            begun += 1
            uploads["U/\(begun)"] = [:]
            return .answer(
                200,
                body:
                    "<InitiateMultipartUploadResult><UploadId>U/\(begun)</UploadId></InitiateMultipartUploadResult>"
            )
        case (.put, nil): return put(exchange, at: parts[0])
        case (.head, _): return head(parts[0])
        case (_, let id?):
            guard let held = uploads[id] else { return Self.error(404, "NoSuchUpload") }
            switch exchange.method {
            case .put: return putPart(exchange, query["partNumber"].flatMap { Int($0) } ?? 0, of: id)
            case .get: return list(held, after: query["part-number-marker"].flatMap { Int($0) } ?? 0)
            case .post: return complete(exchange, held, id, at: parts[0])
            default:
                uploads[id] = nil
                return .answer(204)
            }
        default: return Self.error(400, "InvalidRequest")
        }
    }

    private func part(_ exchange: Exchange) -> Part {
        let computed = digests(exchange)
        var range: Range<ByteCount> = 0..<0
        if case .file(let sent, _, _) = exchange.body { range = sent }
        let bytes =
            file.map { Array($0[Int(range.lowerBound)..<Int(range.upperBound)]) } ?? Array("\(range)".utf8)
        return Part(
            range: range, tag: "\"\(DigestRequest.Form.hex.text(RunningDigest.of(bytes, .md5)))\"",
            digests: Dictionary(computed.map { ($0.algorithm, $0.bytes) }) { first, _ in first })
    }

    private func responseFields(of part: Part) -> HTTPFields {
        var fields: HTTPFields = [.eTag: part.tag]
        for (algorithm, digest) in part.digests where tells && algorithm != .md5 && algorithm != .sha256 {
            fields[S3Checksum.field(algorithm)] = S3Checksum.base64(digest)
        }
        return fields
    }

    private mutating func put(_ exchange: Exchange, at place: String) -> ExchangeOutcome {
        if exchange.fields[.ifNoneMatch] == "*", objects[place] != nil {
            return Self.error(412, "PreconditionFailed")
        }
        let part = part(exchange)
        objects[place] = Object(parts: [part], tag: part.tag)
        return .answer(200, responseFields(of: part))
    }

    private mutating func putPart(_ exchange: Exchange, _ number: Int, of id: String) -> ExchangeOutcome {
        let part = part(exchange)
        uploads[id]?[number] = part
        received.append(number)
        return .answer(200, responseFields(of: part))
    }

    private func head(_ place: String) -> ExchangeOutcome {
        guard let object = objects[place] else { return .answer(404) }
        return .answer(200, [.eTag: object.tag, .contentLength: "\(object.size)"])
    }

    private func list(_ held: [Int: Part], after marker: Int) -> ExchangeOutcome {
        let page = held.filter { $0.key > marker }.sorted { $0.key < $1.key }
        let shown = page.prefix(pageSize)
        var text =
            "<ListPartsResult><UploadId>U</UploadId><IsTruncated>\(page.count > pageSize)</IsTruncated>"
        text += "<NextPartNumberMarker>\(shown.last?.key ?? 0)</NextPartNumberMarker>"
        for (number, part) in shown {
            text += "<Part><PartNumber>\(number)</PartNumber><ETag>\(XMLDocument.escaped(part.tag))</ETag>"
            text += "<Size>\(part.range.upperBound - part.range.lowerBound)</Size>"
            for (algorithm, digest) in part.digests where algorithm != .sha256 {
                guard let name = S3Checksum.element(algorithm) else { continue }
                text += "<\(name)>\(S3Checksum.base64(digest))</\(name)>"
            }
            text += "</Part>"
        }
        return .answer(200, body: text + "</ListPartsResult>")
    }

    private mutating func complete(
        _ exchange: Exchange, _ held: [Int: Part], _ id: String, at place: String
    ) -> ExchangeOutcome {
        guard case .bytes(let body) = exchange.body, let root = XMLDocument.parse(body) else {
            return Self.error(400, "MalformedXML")
        }
        if exchange.fields[.ifNoneMatch] == "*", objects[place] != nil {
            return Self.error(412, "PreconditionFailed")
        }
        var parts: [Part] = []
        var numbers: [Int] = []
        for element in root.children(named: "Part") {
            guard let number = element.child(named: "PartNumber").flatMap({ Int($0.text) }),
                let part = held[number], element.child(named: "ETag")?.text == part.tag
            else { return Self.error(400, "InvalidPart") }
            parts.append(part)
            numbers.append(number)
        }
        completions.append(numbers)
        uploads[id] = nil
        let digests = parts.compactMap { S3EntityTag($0.tag) }.flatMap { tag -> [UInt8] in
            if case .whole(let digest) = tag { digest } else { [] }
        }
        let tag = "\"\(DigestRequest.Form.hex.text(RunningDigest.of(digests, .md5)))-\(parts.count)\""
        objects[place] = Object(parts: parts, tag: tag)
        var sums = ""
        for algorithm in DigestAlgorithm.allCases where tells && algorithm != .md5 {
            guard let name = S3Checksum.element(algorithm) else { continue }
            let known = parts.compactMap { part in
                part.digests[algorithm].map { ($0, part.range.upperBound - part.range.lowerBound) }
            }
            guard known.count == parts.count, let whole = S3Checksum.whole(known, algorithm) else { continue }
            sums += "<\(name)>\(whole)</\(name)>"
        }
        return .answer(
            200,
            body:
                "<?xml version='1.0'?>\n  <CompleteMultipartUploadResult><ETag>\(XMLDocument.escaped(tag))</ETag>"
                + sums + "</CompleteMultipartUploadResult>")
    }
}
