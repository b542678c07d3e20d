import FerryProtocols
import FerryTestSupport
import FerryUploads
import HTTPTypes

/// A server of resumable uploads by the IETF draft, interop version 8.
struct ResumableService: Service {
    private var store = AppendStore()

    mutating func begin(_ request: inout ServerRequest) {
        let exchange = request.exchange
        guard exchange.method == .patch else {
            if exchange.method == .head { store.endTaking(exchange.url) }
            return
        }
        let offset = exchange.value("Upload-Offset").flatMap { ByteCount($0) }
        if store[exchange.url] == nil {
            request.refusal = ExchangeOutcome.Response(404)
        } else if !store.take(exchange.url, at: offset, by: request.number) {
            request.refusal = ExchangeOutcome.Response(409, ["Upload-Complete": "?0"])
        }
    }

    mutating func absorb(_ content: Content, of request: inout ServerRequest) {
        store.append(content, to: request.exchange.url, by: request.number)
    }

    mutating func answer(_ request: ServerRequest) -> ExchangeOutcome.Response {
        let exchange = request.exchange
        switch exchange.method {
        case .options: return ExchangeOutcome.Response(204, ["Upload-Limit": "min-size=0"])
        case .post:
            let url = store.make(at: exchange.url, owner: request.owner, size: nil)
            return ExchangeOutcome.Response(
                201, ["Location": url, "Upload-Offset": "0", "Upload-Draft-Interop-Version": "8"])
        case .head:
            guard let entry = store[exchange.url] else { return ExchangeOutcome.Response(404) }
            return ExchangeOutcome.Response(
                204,
                [
                    "Upload-Offset": "\(store.confirm(exchange.url))",
                    "Upload-Complete": entry.isComplete ? "?1" : "?0",
                ])
        case .patch:
            guard store[exchange.url]?.taker == request.number else { return ExchangeOutcome.Response(409) }
            store.endTaking(exchange.url)
            let offset = store.confirm(exchange.url)
            guard exchange.value("Upload-Complete") == "?1" else {
                return ExchangeOutcome.Response(204, ["Upload-Offset": "\(offset)", "Upload-Complete": "?0"])
            }
            store.complete(exchange.url)
            return ExchangeOutcome.Response(200, ["Upload-Offset": "\(offset)", "Upload-Complete": "?1"])
        case .delete:
            store.remove(exchange.url)
            return ExchangeOutcome.Response(204)
        default: return ExchangeOutcome.Response(405)
        }
    }

    func holds(_ content: Content, of owner: Upload.ID) -> Bool { store.holds(content, of: owner) }
    func hasSpliced(of owner: Upload.ID, size: ByteCount) -> Bool { store.hasWhole(of: owner, size: size) }
    func held(at url: String) -> ByteCount? { store[url]?.content.count }

    mutating func crash(isForgetful: Bool, _ random: inout SeededGenerator) -> [Upload.ID] {
        store.crash(isForgetful: isForgetful, &random)
    }
}
