import FerryProtocols
import FerryTestSupport
import FerryUploads
import HTTPTypes

/// A tus 1.0 server.
struct TusService: Service {
    private var store = AppendStore()

    mutating func begin(_ request: inout ServerRequest) {
        let exchange = request.exchange
        guard exchange.method == .patch else {
            if exchange.method == .head { store.endTaking(exchange.url) }
            return
        }
        let offset = exchange.value("Upload-Offset").flatMap { ByteCount($0) }
        if store[exchange.url] == nil {
            request.refusal = Self.answer(404)
        } else if !store.take(exchange.url, at: offset, by: request.number) {
            request.refusal = Self.answer(409)
        }
    }

    mutating func absorb(_ content: Content, of request: inout ServerRequest) {
        store.append(content, to: request.exchange.url, by: request.number)
    }

    mutating func answer(_ request: ServerRequest) -> ExchangeOutcome.Response {
        let exchange = request.exchange
        switch exchange.method {
        case .options:
            return Self.answer(204, ["Tus-Version": "1.0.0", "Tus-Extension": "creation,termination"])
        case .post:
            let size = exchange.value("Upload-Length").flatMap { ByteCount($0) }
            let url = store.make(at: exchange.url, owner: request.owner, size: size)
            return Self.answer(201, ["Location": url])
        case .head:
            guard let entry = store[exchange.url] else { return Self.answer(404) }
            return Self.answer(
                200,
                ["Upload-Offset": "\(store.confirm(exchange.url))", "Upload-Length": "\(entry.size ?? 0)"])
        case .patch:
            guard store[exchange.url]?.taker == request.number else { return Self.answer(409) }
            store.endTaking(exchange.url)
            return Self.answer(204, ["Upload-Offset": "\(store.confirm(exchange.url))"])
        case .delete:
            store.remove(exchange.url)
            return Self.answer(204)
        default: return Self.answer(405)
        }
    }

    func holds(_ content: Content, of owner: Upload.ID) -> Bool { store.holds(content, of: owner) }
    func hasSpliced(of owner: Upload.ID, size: ByteCount) -> Bool { store.hasWhole(of: owner, size: size) }
    func held(at url: String) -> ByteCount? { store[url]?.content.count }

    mutating func crash(isForgetful: Bool, _ random: inout SeededGenerator) -> [Upload.ID] {
        store.crash(isForgetful: isForgetful, &random)
    }

    private static func answer(_ status: Int, _ fields: KeyValuePairs<String, String> = [:])
        -> ExchangeOutcome.Response
    {
        var answer = ExchangeOutcome.Response(status, fields)
        answer.fields[.tusResumable] = "1.0.0"
        return answer
    }
}
