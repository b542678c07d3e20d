import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests that an upload ends and the server then has exactly the file, for any server and with breaks at any byte.
struct TusModelTests {
    @Test(arguments: 0..<600)
    func `an upload to any server over any link ends with exactly the file`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var habits = ModelTusServer.Habits(
            breaks: [0, 100, 300].randomElement(using: &random) ?? 0,
            trouble: [0, 50].randomElement(using: &random) ?? 0,
            damage: [0, 20].randomElement(using: &random) ?? 0,
            keepsBrokenRequests: Bool.random(using: &random),
            forgetsFinished: Bool.random(using: &random),
            namesOffsets: Int.random(in: 0..<4, using: &random) > 0,
            takesPatch: Int.random(in: 0..<4, using: &random) > 0,
            mostAtOnce: [.max, 3 << 20].randomElement(using: &random) ?? .max,
            joins: Int.random(in: 0..<4, using: &random) > 0)
        for name in ["creation-with-upload", "creation-defer-length", "checksum", "concatenation"]
        where Bool.random(using: &random) { habits.extensions.insert(name) }
        let isChecked = habits.extensions.contains("checksum") && Bool.random(using: &random)
        if isChecked { habits.mostAtOnce = .max }
        let options = ProtocolOptions(
            chunkSize: [nil, 3 << 20].randomElement(using: &random) ?? nil,
            parallelRequests: [nil, 3].randomElement(using: &random) ?? nil,
            checksum: isChecked ? .sha1 : nil, defersLength: Bool.random(using: &random),
            createsWithContent: Bool.random(using: &random))
        let size = [0, 10, (1 << 20) + 1, 5 << 20, 50 << 20].randomElement(using: &random) ?? 0
        var run = ModelRun(item: .make(size: ByteCount(size)), options: options, server: .init(habits))

        let end = run.run(using: &random)
        let ending = try #require(end, "no end after \(ModelRun.limit) requests")
        switch ending {
        case .done(let receipt):
            #expect(run.server.finished.last?.isExactly(ByteCount(size)) == true)
            #expect(run.server.finished.count == 1 || size <= 1 << 20, "uploaded more than once")
            #expect(receipt.bytes == ByteCount(size))
            // A checked upload is verified, because this server never keeps a part of a broken chunk. Without a
            // configured checksum, small files are checked if the server offers that.
            let isOffered = habits.extensions.contains("checksum") && (1...1 << 20).contains(size)
            #expect(receipt.verified == .sha1 || !isChecked && receipt.verified == nil)
            #expect(receipt.verified == nil || isChecked || isOffered)
        case .failed(let failure):
            switch failure.category {
            case .outcomeUnknown:
                // The outcome is unknown only if a response was lost or had no offset.
                #expect(habits.breaks > 0 || (habits.forgetsFinished && !habits.namesOffsets))
            case .permanent:
                // Two damaged chunks in a row are a permanent failure.
                #expect(failure.status == 460, "\(failure)")
            default: Issue.record("\(failure)")
            }
        }
    }

    @Test(arguments: 0..<200)
    func `an upload to a server that forgets at times never ends with another file`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(1000 + seed))
        let habits = ModelTusServer.Habits(
            breaks: 100, trouble: 50, forgets: 100, extensions: ["creation", "concatenation"])
        let options = ProtocolOptions(parallelRequests: [1, 3].randomElement(using: &random))
        var run = ModelRun(item: .make(size: 50 << 20), options: options, server: .init(habits))
        let end = run.run(using: &random)
        let ending = try #require(end, "no end after \(ModelRun.limit) requests")
        if case .done = ending { #expect(run.server.finished.last?.isExactly(50 << 20) == true) }
    }
}

/// Runs attempts at one upload, as the queue does.
private struct ModelRun {
    enum Ending {
        case done(Receipt)
        case failed(UploadFailure)
    }

    static let limit = 3000

    let item: UploadItem
    let options: ProtocolOptions
    var server: ModelTusServer
    private var resource: UploadResource?
    private var capabilities: ServerCapabilities?
    private var requests = 0

    init(item: UploadItem, options: ProtocolOptions, server: ModelTusServer) {
        self.item = item
        self.options = options
        self.server = server
    }

    /// Runs attempts until the upload ends.
    ///
    /// - Returns: The ending; nil if the upload did not end within the limit of requests.
    mutating func run(using random: inout some RandomNumberGenerator) -> Ending? {
        while requests < Self.limit {
            switch attempt(using: &random) {
            case .failed(let failure) where failure.isTransient: continue
            case let ending: return ending
            }
        }
        return nil
    }

    private mutating func attempt(using random: inout some RandomNumberGenerator) -> Ending {
        var tus = TusUpload(item: item, options: options)
        var step = tus.start(resource: resource, capabilities: capabilities)
        var underWay: [Exchange] = []
        while true {
            for note in step.notes { take(note) }
            switch step {
            case .done(let receipt, _): return .done(receipt)
            case .failed(let failure, _):
                // Other requests under way may still arrive.
                for exchange in underWay { _ = server.perform(exchange, using: &random) }
                return .failed(failure)
            case .send(let exchange, _): underWay.append(exchange)
            case .sendAll(let exchanges, _): underWay += exchanges
            case .wait: break
            }
            guard !underWay.isEmpty, requests < Self.limit else {
                return .failed(UploadFailure(.permanent, "the upload waits for nothing"))
            }
            let exchange = underWay.remove(at: Int.random(in: 0..<underWay.count, using: &random))
            requests += 1
            let before = resource
            if let mark = exchange.markBeforeLastBytes { resource = mark }
            let reply = server.perform(exchange, using: &random)
            switch reply {
            case .broken(_, let sent) where sent ?? -1 < exchange.contentLength: resource = before
            case .broken, .responded: break
            }
            step = tus.receive(reply, to: exchange)
        }
    }

    private mutating func take(_ note: Step.Note) {
        switch note {
        case .resource(let noted): resource = noted
        case .capabilities(let found): capabilities = found
        case .serverLost: break
        }
    }
}
