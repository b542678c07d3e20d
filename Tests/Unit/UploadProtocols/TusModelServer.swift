import HTTPTypes

@testable import FerryProtocols

/// A model of a tus server. It does everything that the specification allows, and some things that real servers do
/// against it. It keeps ranges of the file instead of bytes.
struct ModelTusServer {
    struct Upload {
        var length: ByteCount?
        /// The ranges of the file, in the order in which they arrived.
        var content: [Range<ByteCount>] = []
        var isPartial = false

        var offset: ByteCount { content.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }

        /// Returns true if the ranges are the whole file, in order and without gaps.
        func isExactly(_ size: ByteCount) -> Bool {
            var end: ByteCount = 0
            for range in content {
                guard range.lowerBound == end else { return false }
                end = range.upperBound
            }
            return end == size
        }
    }

    /// The properties of a server, and the probabilities of its faults in thousandths.
    struct Habits {
        var breaks = 0
        var trouble = 0
        var damage = 0
        var forgets = 0
        var keepsBrokenRequests = true
        var forgetsFinished = false
        var namesOffsets = true
        var takesPatch = true
        var mostAtOnce = ByteCount.max
        var joins = true
        var extensions: Set<String> = ["creation"]
    }

    private(set) var uploads: [String: Upload] = [:]
    /// The complete uploads, except partial ones. The server may have forgotten them.
    private(set) var finished: [Upload] = []
    private let habits: Habits
    private var created = 0

    init(_ habits: Habits) { self.habits = habits }

    /// Carries out a request, and returns its outcome as the client sees it.
    mutating func perform(
        _ exchange: Exchange, using random: inout some RandomNumberGenerator
    ) -> ExchangeOutcome {
        let length = exchange.contentLength
        guard Int.random(in: 0..<1000, using: &random) < habits.breaks else {
            return .responded(answer(exchange, arrived: length, using: &random))
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .broken(UploadFailure(.network, "not connected"), bodySent: nil)
        case 1:
            _ = answer(exchange, arrived: length, using: &random)
            return .broken(UploadFailure(.network, "the answer was lost"), bodySent: length)
        default:
            guard length > 0 else { return .broken(UploadFailure(.network, "broke"), bodySent: 0) }
            let sent = ByteCount.random(in: 0..<length, using: &random)
            let arrived = ByteCount.random(in: 0...sent, using: &random)
            if arrived > 0, habits.keepsBrokenRequests, exchange.digests.isEmpty {
                _ = answer(exchange, arrived: arrived, using: &random)
            }
            return .broken(UploadFailure(.network, "broke"), bodySent: sent)
        }
    }

    private mutating func answer(
        _ exchange: Exchange, arrived: ByteCount, using random: inout some RandomNumberGenerator
    ) -> ExchangeOutcome.Response {
        if Int.random(in: 0..<1000, using: &random) < habits.trouble {
            return ExchangeOutcome.Response(status: [423, 500, 503].randomElement(using: &random) ?? 503)
        }
        if Int.random(in: 0..<1000, using: &random) < habits.forgets { uploads[exchange.url] = nil }
        let override = exchange.fields[.methodOverride]
        switch override ?? exchange.method.rawValue {
        case "OPTIONS":
            return said(
                204, [.tusVersion: "1.0.0", .tusExtension: habits.extensions.sorted().joined(separator: ",")])
        case "POST": return create(exchange, arrived: arrived)
        case "HEAD":
            guard let upload = uploads[exchange.url] else { return said(404) }
            var fields: HTTPFields = [.uploadOffset: "\(upload.offset)"]
            if let length = upload.length {
                fields[.uploadLength] = "\(length)"
            } else {
                fields[.uploadDeferLength] = "1"
            }
            return said(200, fields)
        case "PATCH":
            if override == nil, !habits.takesPatch { return said(405) }
            return append(exchange, arrived: arrived, using: &random)
        case "DELETE":
            let was = uploads.removeValue(forKey: exchange.url)
            return said(was == nil ? 404 : 204)
        default: return said(405)
        }
    }

    private mutating func create(_ exchange: Exchange, arrived: ByteCount) -> ExchangeOutcome.Response {
        var made = Upload()
        let concat = exchange.fields[.uploadConcat]
        if let concat, concat.hasPrefix("final;") {
            let urls = concat.dropFirst(6).split(separator: " ").map(String.init)
            let parts = urls.compactMap { uploads[$0] }
            guard habits.joins, parts.count == urls.count, parts.allSatisfy({ $0.offset == $0.length }) else {
                return said(400)
            }
            made.content = parts.flatMap(\.content)
            made.length = made.offset
            for url in urls { uploads[url] = nil }
        } else {
            made.isPartial = concat == "partial"
            made.length = exchange.fields[.uploadLength].flatMap { ByteCount($0) }
            guard made.length != nil || exchange.fields[.uploadDeferLength] == "1" else { return said(400) }
            if case .file(let range, _, _) = exchange.body, arrived > 0 {
                made.content = [range.lowerBound..<range.lowerBound + arrived]
            }
        }
        created += 1
        let url = "http://server.example/files/\(created)"
        uploads[url] = made
        finish(url)
        var fields: HTTPFields = [.location: url]
        if case .file = exchange.body { fields[.uploadOffset] = "\(made.offset)" }
        return said(201, fields)
    }

    private mutating func append(
        _ exchange: Exchange, arrived: ByteCount, using random: inout some RandomNumberGenerator
    ) -> ExchangeOutcome.Response {
        guard var upload = uploads[exchange.url] else { return said(404) }
        guard exchange.fields[.uploadOffset] == "\(upload.offset)" else { return said(409) }
        if let length = exchange.fields[.uploadLength].flatMap({ ByteCount($0) }) {
            guard upload.length == nil else { return said(400) }
            upload.length = length
            uploads[exchange.url] = upload
        }
        guard case .file(let range, _, _) = exchange.body else { return said(400) }
        guard exchange.contentLength <= habits.mostAtOnce else { return said(413) }
        if let length = upload.length, upload.offset + arrived > length { return said(413) }
        if !exchange.digests.isEmpty, Int.random(in: 0..<1000, using: &random) < habits.damage {
            return said(460)
        }
        if arrived > 0 { upload.content.append(range.lowerBound..<range.lowerBound + arrived) }
        uploads[exchange.url] = upload
        finish(exchange.url)
        return said(204, habits.namesOffsets ? [.uploadOffset: "\(upload.offset)"] : [:])
    }

    private mutating func finish(_ url: String) {
        guard let upload = uploads[url], !upload.isPartial, upload.offset == upload.length else { return }
        finished.append(upload)
        if habits.forgetsFinished { uploads[url] = nil }
    }

    private func said(_ status: Int, _ fields: HTTPFields = [:]) -> ExchangeOutcome.Response {
        var fields = fields
        fields[.tusResumable] = "1.0.0"
        return ExchangeOutcome.Response(status: status, fields: fields)
    }
}
