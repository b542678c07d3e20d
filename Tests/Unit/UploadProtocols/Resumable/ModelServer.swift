import FerryTestSupport
import HTTPTypes

@testable import FerryProtocols

/// A model of a server of resumable uploads. It follows the drafts, and everything that they leave open is random.
struct ModelServer {
    struct Upload {
        var held: ByteCount = 0
        var isComplete = false
    }

    private(set) var uploads: [String: Upload] = [:]
    /// The number of times that a whole file arrived.
    private(set) var completions = 0
    /// The violations of the protocol by the client.
    private(set) var faults: [String] = []

    let size: ByteCount
    let version: InteropVersion
    /// True if the server deletes an upload that is complete or that received a wrong offset.
    let forgets: Bool
    private let keepsBrokenRequests: Bool
    private let maximumAppend: ByteCount?
    private var dice: SeededGenerator

    init(dice: inout SeededGenerator) {
        version = InteropVersion.allCases.randomElement(using: &dice) ?? .eight
        size = dice.isOne(in: 5) ? 0 : ByteCount.random(in: 1...1000, using: &dice)
        forgets = dice.isOne(in: 2)
        keepsBrokenRequests = !dice.isOne(in: 4)
        maximumAppend = dice.isOne(in: 3) ? ByteCount.random(in: 100...500, using: &dice) : nil
        self.dice = dice
    }

    mutating func perform(_ exchange: Exchange) -> ExchangeOutcome {
        let length = exchange.contentLength
        switch Int.random(in: 0..<12, using: &dice) {
        case 0: return .broke(afterSending: nil)
        case 1: return .answer(503)
        case 2:
            _ = answer(exchange, arrived: length)
            return .broke(afterSending: length)
        case 3:
            _ = answer(exchange, arrived: length)
            return .answer(502)
        case 4, 5:
            guard length > 0 else { return .broke(afterSending: 0) }
            let sent = ByteCount.random(in: 0..<length, using: &dice)
            receive(exchange, arrived: keepsBrokenRequests ? ByteCount.random(in: 0...sent, using: &dice) : 0)
            return .broke(afterSending: sent)
        default: return answer(exchange, arrived: length)
        }
    }

    private mutating func answer(_ exchange: Exchange, arrived: ByteCount) -> ExchangeOutcome {
        let fields = exchange.fields
        if exchange.method == .options { return .answer(404) }
        guard fields[.uploadDraftInteropVersion] == "\(version.rawValue)" else {
            return .answer(400, dice.isOne(in: 2) ? [.uploadDraftInteropVersion: "\(version.rawValue)"] : [:])
        }
        switch exchange.method {
        case .post:
            if arrived > 0 { faults.append("content at creation") }
            let url = "http://server.example/files/\(uploads.count)"
            uploads[url] = Upload()
            var answer: HTTPFields = [.location: url, .uploadOffset: "0"]
            if version == .eight { answer[.uploadLimit] = limit }
            return .answer(201, answer)
        case .head:
            guard let upload = uploads[exchange.url] else { return .answer(404) }
            return .answer(204, state(upload))
        case .patch: return append(exchange, arrived: arrived)
        default: return .answer(405)
        }
    }

    private mutating func append(_ exchange: Exchange, arrived: ByteCount) -> ExchangeOutcome {
        guard let upload = uploads[exchange.url] else { return .answer(404) }
        let offset = exchange.fields[.uploadOffset].flatMap { ByteCount($0) } ?? -1
        if case .file(let range, _, _) = exchange.body, range.lowerBound != offset {
            faults.append("bytes of \(range) at \(offset)")
        }
        if version.isTyped, exchange.fields[.contentType] != PartialUpload.mediaType {
            faults.append("no media type")
        }
        guard !upload.isComplete, offset == upload.held else {
            if forgets { uploads[exchange.url] = nil }
            return .answer(409, dice.isOne(in: 2) ? state(upload) : [:])
        }
        if let maximumAppend, arrived > maximumAppend {
            return .answer(413, [.uploadLimit: limit])
        }
        receive(exchange, arrived: arrived)
        guard var after = uploads[exchange.url] else { return .answer(404) }
        guard isLast(exchange) else {
            return .answer(
                version == .six ? 201 : 204, version <= .six ? state(after) : [.uploadComplete: "?0"])
        }
        if after.held != size { faults.append("complete at \(after.held) of \(size)") }
        after.isComplete = true
        completions += 1
        uploads[exchange.url] = forgets ? nil : after
        return .answer(200, dice.isOne(in: 2) ? state(after) : [:])
    }

    /// Appends the bytes that arrived.
    private mutating func receive(_ exchange: Exchange, arrived: ByteCount) {
        guard exchange.method == .patch, let upload = uploads[exchange.url], !upload.isComplete,
            exchange.fields[.uploadOffset] == "\(upload.held)", arrived <= maximumAppend ?? .max
        else { return }
        uploads[exchange.url]?.held += arrived
    }

    private func isLast(_ exchange: Exchange) -> Bool {
        exchange.fields[.uploadComplete] == "?1" || exchange.fields[.uploadIncomplete] == "?0"
    }

    private var limit: String { UploadLimit(maximumAppend: maximumAppend).header(version) }

    private func state(_ upload: Upload) -> HTTPFields {
        var fields: HTTPFields = [.uploadOffset: "\(upload.held)"]
        version.write(isComplete: upload.isComplete, to: &fields)
        return fields
    }
}
