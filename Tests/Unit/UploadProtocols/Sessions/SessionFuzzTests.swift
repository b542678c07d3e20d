import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests that an attempt ends without a trap, whatever a server responds.
struct SessionFuzzTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `an attempt ends whatever the server sends`(seed: UInt64) {
        var random = SeededAnswers(seed: seed)
        let addresses = [
            ("google", "https://storage.googleapis.com/upload/storage/v1/b/b/o?uploadType=resumable"),
            ("google", "https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable"),
            ("google", "https://storage.googleapis.com/x?upload_id=1"),
            ("graph", "https://graph.example/drive/root:/{name}:/createUploadSession"),
            ("graph", "https://up.example/1?tempauth=x"), ("azure", "https://acct.example/c/?sig=s"),
        ]
        for (name, url) in addresses {
            let item = UploadItem.make(url: url, size: random.pick([0, 1, 17, 1_000_000, .max]))
            let options = ProtocolOptions(
                chunkSize: random.pick([nil, 1, 400_000, .max]), parallelRequests: random.pick([nil, 1, 3]),
                checksum: random.pick([nil, .md5, .sha256, .crc32c]),
                existing: random.pick([nil, .skip, .replace, .rename, .fail]))
            var upload = ProtocolCatalog.entry(named: name)?.make(item, options)
            var resource: UploadResource?
            for _ in 0..<4 {
                var steps = 0
                guard var step = upload?.start(resource: resource, capabilities: nil) else { break }
                var underWay: [Exchange] = []
                while steps < 300 {
                    steps += 1
                    for case .resource(let noted) in step.notes { resource = noted }
                    switch step {
                    case .send(let exchange, _): underWay.append(exchange)
                    case .sendAll(let exchanges, _): underWay += exchanges
                    case .wait, .done, .failed: break
                    }
                    if case .done = step { break }
                    if case .failed = step { break }
                    guard let exchange = underWay.popLast() else { break }
                    if let mark = exchange.markBeforeLastBytes { resource = mark }
                    step = upload?.receive(random.reply(to: exchange), to: exchange) ?? step
                }
                #expect(steps < 300, "\(name) \(url)")
                upload = ProtocolCatalog.entry(named: name)?.make(item, options)
            }
        }
    }
}

/// Makes random responses from parts that services use.
private struct SeededAnswers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state.byteSwapped
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &self)]
    }

    mutating func reply(to exchange: Exchange) -> ExchangeOutcome {
        if Int.random(in: 0..<8, using: &self) == 0 {
            return .broken(
                UploadFailure(.network, "broke"), bodySent: pick([nil, 0, exchange.contentLength]))
        }
        var fields = HTTPFields()
        fields[.range] = pick([nil, "bytes=0-0", "bytes=0-9223372036854775806", "bytes=0-262143", "x"])
        fields[.location] = pick([nil, "/u?upload_id=1", "http://other.example/", "::"])
        fields[.contentLength] = pick([nil, "0", "1", "18446744073709551616"])
        fields[.contentMD5] = pick([nil, "", "AAAA"])
        fields[.date] = pick([nil, "Sun, 22 Nov 2026 01:00:00 GMT", "x"])
        let digests = exchange.digests.map {
            ComputedDigest($0.algorithm, of: $0.range, bytes: pick([[], [1, 2, 3]]))
        }
        return .responded(
            .init(
                status: pick([200, 201, 202, 204, 301, 308, 400, 401, 403, 404, 409, 410, 412, 416, 499, 503]
                ),
                fields: fields, body: Array(pick(Self.bodies).utf8), digests: digests))
    }

    private static let bodies = [
        "", "{", "[]", "{}", #"{"size":"1"}"#, #"{"size":"99999999999999999999","md5Hash":"AQID"}"#,
        #"{"uploadUrl":"https://x.example/u","nextExpectedRanges":["0-"]}"#, #"{"uploadUrl":5}"#,
        #"{"nextExpectedRanges":["1-"]}"#, #"{"nextExpectedRanges":["9223372036854775807-"]}"#,
        #"{"nextExpectedRanges":[]}"#, #"{"file":{"hashes":{"sha256Hash":"010203"}}}"#,
        #"{"error":{"code":"nameAlreadyExists"}}"#, "<BlockList/>",
        "<BlockList><UncommittedBlocks/></BlockList>",
        "<BlockList><UncommittedBlocks><Block><Name>AAAA</Name><Size>-1</Size></Block></UncommittedBlocks></BlockList>",
        "<Error><Code>Md5Mismatch</Code></Error>", "<Error><Code>InvalidBlockList</Code></Error>",
    ]
}
