import FerryProtocols
import FerryTestSupport
import FerryTransfer
import HTTPTypes
import Synchronization

/// A protocol whose steps the test decides: the first step, and one for each reply.
struct ScriptedProtocol<State: Sendable>: UploadProtocol {
    static var name: String { "scripted" }
    static var traits: ProtocolTraits { ProtocolTraits(resumes: true, isParallel: true) }

    private let first: Step
    private var state: State
    private let next: @Sendable (inout State, ExchangeOutcome, Exchange) -> Step

    init(
        _ first: Step, state: State,
        next: @escaping @Sendable (inout State, ExchangeOutcome, Exchange) -> Step
    ) {
        self.first = first
        self.state = state
        self.next = next
    }

    init(item: UploadItem, options: ProtocolOptions) {
        preconditionFailure("a test makes this protocol with the steps that it takes")
    }

    mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step { first }
    mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step {
        next(&state, reply, exchange)
    }
    func removal(of resource: UploadResource) -> [Exchange] { [] }
}

extension ScriptedProtocol<Void> {
    init(_ first: Step, next: @escaping @Sendable (ExchangeOutcome) -> Step) {
        self.init(first, state: ()) { _, reply, _ in next(reply) }
    }
}

extension Exchange {
    /// An exchange that sends a part of the file to a URL of its own.
    static func part(
        _ number: Int, _ range: Range<ByteCount>, at url: String = "http://server.example/p"
    ) -> Exchange {
        var exchange = Exchange(.put, "\(url)\(number)", body: .file(range: range))
        exchange.part = number
        return exchange
    }
}

/// Records everything that an attempt reports to its recorder, in one sequence.
final class AttemptLog: AttemptRecorder {
    enum Entry: Hashable {
        case recorded(UploadResource?, durably: Bool)
        case reading
        case request(String)
        case learnt(ServerCapabilities)
    }

    private let entries = Mutex<[Entry]>([])
    private let reached = Mutex<[ByteCount]>([])
    private let onReading: @Sendable () -> Void

    init(onReading: @escaping @Sendable () -> Void = {}) { self.onReading = onReading }

    var all: [Entry] { entries.withLock { $0 } }
    /// The URLs of the requests so far.
    var requests: [String] { all.compactMap { if case .request(let url) = $0 { url } else { nil } } }
    /// The progress values that were reported.
    var progress: [ByteCount] { reached.withLock { $0 } }

    func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }

    func record(_ resource: Redacted<UploadResource>?, durably: Bool) async throws(UploadFailure) {
        note(.recorded(resource?.value, durably: durably))
    }

    func isReading() {
        note(.reading)
        onReading()
    }

    func didStart(_ exchange: Exchange, reached: ByteCount) { self.reached.withLock { $0.append(reached) } }

    func didSend(_ bytes: ByteCount, reached: ByteCount) { self.reached.withLock { $0.append(reached) } }

    func didFinishSending(_ exchange: Exchange) {}
}

extension AttemptLog {
    /// Runs one attempt at `file` over a transport whose responses a closure makes.
    func run(
        _ uploadProtocol: any UploadProtocol, of file: TestFile, resource: UploadResource? = nil,
        headers: HTTPFields = [:], interceptor: Interceptor = Interceptor(),
        monitors: [any EventMonitor] = [],
        _ answer: @escaping @Sendable (TransportRequest) async -> Result<TransportResponse, TransportError>
    ) async throws -> UploadAttempt.Outcome {
        let source = try file.open()
        let transport = ScriptedTransport { [self] request in
            note(.request(request.url))
            return await answer(request)
        }
        let attempt = UploadAttempt(
            sender: RequestSender(
                over: transport, headers: headers, interceptor: interceptor, monitors: monitors),
            file: source, identity: source.identity,
            label: "1", recorder: self, learn: { self.note(.learnt($0.value)) })
        return await attempt.run(uploadProtocol, resource: resource, capabilities: nil).value
    }
}

extension ExchangeOutcome {
    var answer: Response? { if case .responded(let answer) = self { answer } else { nil } }
    var status: Int? { answer?.status }
}
