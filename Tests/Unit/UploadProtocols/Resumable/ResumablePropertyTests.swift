import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols

/// Runs one attempt after another, as the queue does. A crash between them keeps only what was recorded.
private struct Attempts {
    var server: ModelServer
    var dice: SeededGenerator
    let options: ProtocolOptions
    private(set) var journaled: UploadResource?
    private var known: ServerCapabilities?

    init(server: ModelServer, dice: SeededGenerator, chunkSize: ByteCount?) {
        self.server = server
        self.dice = dice
        options = ProtocolOptions(chunkSize: chunkSize)
    }

    /// Runs an attempt and returns its last step; nil if it was killed.
    mutating func run() -> Step? {
        var upload = ResumableUpload(item: .make(size: server.size), options: options)
        var step = upload.start(resource: journaled, capabilities: known)
        for _ in 1...500 {
            take(step.notes)
            guard let exchange = step.exchange else { return step }
            let confirmed = journaled?.confirmed ?? 0
            if exchange.method == .patch {
                #expect(exchange.url == journaled?.url, "bytes went to an address that was not written down")
            }
            let before = journaled
            let reply = server.perform(exchange)
            if let mark = exchange.markBeforeLastBytes { journaled = mark }
            if case .broken(_, let sent) = reply, sent ?? -1 < exchange.contentLength { journaled = before }
            if let held = server.uploads[journaled?.url ?? ""]?.held {
                #expect(confirmed <= held, "more was taken as confirmed than the server had")
            }
            if dice.isOne(in: 40) { return nil }
            step = upload.receive(reply)
        }
        Issue.record("an attempt without end")
        return nil
    }

    private mutating func take(_ notes: [Step.Note]) {
        for note in notes {
            switch note {
            case .resource(let resource): journaled = resource
            case .capabilities(let capabilities): known = capabilities
            case .serverLost: break
            }
        }
    }
}

struct ResumablePropertyTests {
    @Test(arguments: 0..<2000)
    func `whatever the link and the server do, a file arrives once and whole`(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let server = ModelServer(dice: &dice)
        let chunkSize = dice.isOne(in: 2) ? ByteCount.random(in: 20...400, using: &dice) : nil
        var attempts = Attempts(server: server, dice: dice, chunkSize: chunkSize)
        for _ in 1...1000 {
            let step = attempts.run()
            if let receipt = step?.receipt {
                #expect(receipt.bytes == server.size)
                #expect(attempts.server.completions == 1)
                break
            }
            if let failure = step?.failure, !failure.isTransient {
                // If the server has forgotten a complete upload, its outcome is unknown. Any other permanent failure is
                // an error.
                #expect(failure.category == .outcomeUnknown, "\(failure.summary)")
                #expect(server.forgets && attempts.server.completions == 1)
                break
            }
        }
        #expect(attempts.server.completions == 1)
        #expect(attempts.server.faults.isEmpty, "\(attempts.server.faults)")
    }
}
