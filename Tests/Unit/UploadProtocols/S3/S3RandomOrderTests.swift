import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols

/// The notes that are kept between attempts.
private struct Disk {
    var resource: UploadResource?
    var capabilities: ServerCapabilities?

    mutating func take(_ notes: [Step.Note]) {
        for note in notes {
            switch note {
            case .resource(let noted): resource = noted
            case .capabilities(let noted): capabilities = noted
            case .serverLost: break
            }
        }
    }
}

struct S3RandomOrderTests {
    private enum Outcome: CaseIterable { case arrives, lost, answerLost, refused, slowed }

    /// Runs attempts until one succeeds. Responses to parts come in random order, and requests fail at random.
    private func upload(
        _ item: UploadItem, _ options: ProtocolOptions, to server: inout FakeS3, faults: Int, seed: UInt64
    ) throws -> (receipt: Receipt, attempts: Int) {
        var random = SeededGenerator(seed: seed)
        var disk = Disk()
        for attempt in 1...200 {
            var upload = S3Upload(item: item, options: options)
            var step = upload.start(resource: disk.resource, capabilities: disk.capabilities)
            var underWay: [Exchange] = []
            while true {
                disk.take(step.notes)
                if let receipt = step.receipt { return (receipt, attempt) }
                if let failure = step.failure {
                    try #require(failure.isTransient, "\(failure)")
                    break
                }
                underWay += step.exchanges
                #expect(underWay.count <= max(1, options.parallelRequests ?? 4))
                try #require(!underWay.isEmpty)
                let exchange = underWay.remove(at: .random(in: 0..<underWay.count, using: &random))
                if let mark = exchange.markBeforeLastBytes { disk.resource = mark }
                let outcome =
                    Int.random(in: 0..<100, using: &random) < faults
                    ? Outcome.allCases.randomElement(using: &random) : .arrives
                // A creation whose response is lost leaves an unfinished upload at the server, which these tests do not
                // check.
                switch outcome ?? .arrives {
                case .arrives: step = upload.receive(server.reply(to: exchange), to: exchange)
                case .lost: step = upload.receive(.broke(afterSending: 3), to: exchange)
                case .answerLost:
                    _ = server.reply(to: exchange)
                    step = upload.receive(.broke(afterSending: exchange.contentLength), to: exchange)
                case .refused: step = upload.receive(FakeS3.error(500, "InternalError"), to: exchange)
                case .slowed: step = upload.receive(FakeS3.error(503, "SlowDown"), to: exchange)
                }
                if case .failed = step {} else if Int.random(in: 0..<400, using: &random) < faults { break }
            }
        }
        Issue.record("no attempt was done")
        return (Receipt(), 0)
    }

    private func check(_ server: FakeS3, _ item: UploadItem) throws {
        let object = try #require(server.objects["http://server.example/b/a.bin"])
        var end: ByteCount = 0
        for part in object.parts {
            #expect(part.range.lowerBound == end)
            end = part.range.upperBound
        }
        #expect(end == item.size)
        for numbers in server.completions { #expect(numbers == Array(1...numbers.count)) }
    }

    @Test(arguments: 0..<100)
    func `whatever happens in whatever order, the object is the file`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &* 77)
        let item = UploadItem.make(
            url: "http://server.example/b/", size: .random(in: 0...60 * (5 << 20), using: &random))
        var server = FakeS3()
        server.pageSize = .random(in: 20...100, using: &random)
        let options = ProtocolOptions(
            chunkSize: 5 << 20, parallelRequests: .random(in: 1...8, using: &random),
            checksum: DigestAlgorithm?.some(.allCases.randomElement(using: &random) ?? .md5))
        let (receipt, _) = try upload(
            item, options, to: &server, faults: .random(in: 0...30, using: &random), seed: UInt64(seed))
        #expect(receipt.bytes == item.size)
        try check(server, item)
    }

    @Test func `without faults each part is sent once`() throws {
        let item = UploadItem.make(url: "http://server.example/b/", size: 50 * (5 << 20))
        var server = FakeS3()
        let (_, attempts) = try upload(
            item, .init(chunkSize: 5 << 20), to: &server, faults: 0, seed: 1)
        #expect(attempts == 1)
        #expect(server.received.sorted() == Array(1...50))
        try check(server, item)
    }

    @Test(arguments: DigestAlgorithm.allCases)
    func `a file's digest is confirmed whole and in parts`(algorithm: DigestAlgorithm) throws {
        let bytes = (0..<(5 << 20) + 77).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        for size in [0, 100, bytes.count] {
            var server = FakeS3(file: Array(bytes.prefix(size)))
            let item = UploadItem.make(url: "http://server.example/b/", size: ByteCount(size))
            let (receipt, _) = try upload(
                item, .init(chunkSize: 5 << 20, checksum: algorithm), to: &server, faults: 0, seed: 1)
            // The server does not report a SHA-256, so the file is not verified.
            #expect(receipt.verified == (algorithm == .sha256 && size <= 5 << 20 ? nil : algorithm))
            try check(server, item)
        }
    }
}
