/// An upload protocol as a state machine. It uses no sockets and no files: it receives the outcomes of requests and
/// returns the next steps.
///
/// One value serves one attempt. The caller calls `start`, performs the returned step, and passes each outcome to
/// `receive`, until a step ends the attempt.
public protocol UploadProtocol: Sendable {
    /// The name in the configuration: `put`, `tus`, …
    static var name: String { get }
    /// The abilities of the protocol, the same for every upload.
    static var traits: ProtocolTraits { get }

    /// Makes the protocol for one attempt at `item`.
    init(item: UploadItem, options: ProtocolOptions)

    /// Makes the check of the destination at `url`, which can contain the placeholder `{name}`; nil if the protocol has
    /// no check.
    static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)?

    /// Starts the attempt and returns its first step.
    ///
    /// - Parameters:
    ///   - resource: The last recorded state of an earlier attempt, to resume from; nil for a new upload.
    ///   - capabilities: The stored features of this server; nil if they are missing or out of date.
    mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step

    /// Takes the outcome of one exchange, and returns the next step.
    ///
    /// - Parameter exchange: The exchange to which the outcome belongs. Its `part` distinguishes parallel parts.
    mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step

    /// Returns the requests that delete an unfinished upload on the server; empty if there are none.
    func removal(of resource: UploadResource) -> [Exchange]
}

extension UploadProtocol {
    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? { nil }
    public func removal(of resource: UploadResource) -> [Exchange] { [] }
}

/// A protocol that has one request in flight at a time.
public protocol SequentialProtocol: UploadProtocol {
    /// Takes the outcome of the last step's exchange, and returns the next step.
    mutating func receive(_ reply: ExchangeOutcome) -> Step
}

extension SequentialProtocol {
    public mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step { receive(reply) }
}

/// The next action of the attempt.
public enum Step: Sendable {
    /// Records the notes in order, then performs the exchange and passes its outcome to `receive`.
    case send(Exchange, notes: [Note] = [])
    /// Records the notes, then performs all exchanges at once. Each outcome is passed to `receive` when it arrives.
    case sendAll([Exchange], notes: [Note] = [])
    /// Records the notes, then waits for the next outcome of an exchange in flight. If none is in flight, the attempt
    /// fails.
    case wait(notes: [Note] = [])
    /// The upload is done. Requests in flight are cancelled.
    case done(Receipt, notes: [Note] = [])
    /// The upload has failed. Requests in flight are cancelled.
    case failed(UploadFailure, notes: [Note] = [])

    /// A fact to record before the step is performed.
    public enum Note: Sendable, Hashable {
        /// The resource from which a later attempt resumes; nil deletes the recorded one. A resource with a new URL
        /// or a changed `memory` is on disk before the step is performed.
        case resource(UploadResource?)
        /// The features of the server, to be stored for the destination.
        case capabilities(ServerCapabilities)
        /// The number of bytes that the server had confirmed and has lost.
        case serverLost(ByteCount)
    }

    /// The requests to perform: one, several at once, or none.
    public var exchanges: [Exchange] {
        switch self {
        case .send(let exchange, _): [exchange]
        case .sendAll(let exchanges, _): exchanges
        case .wait, .done, .failed: []
        }
    }

    /// The facts to record before the step is performed.
    public internal(set) var notes: [Note] {
        get {
            switch self {
            case .send(_, let notes), .sendAll(_, let notes), .wait(let notes), .done(_, let notes),
                .failed(_, let notes):
                notes
            }
        }
        set {
            switch self {
            case .send(let exchange, _): self = .send(exchange, notes: newValue)
            case .sendAll(let exchanges, _): self = .sendAll(exchanges, notes: newValue)
            case .wait: self = .wait(notes: newValue)
            case .done(let receipt, _): self = .done(receipt, notes: newValue)
            case .failed(let failure, _): self = .failed(failure, notes: newValue)
            }
        }
    }

    /// Returns the step with the notes `earlier` before its own notes.
    public func noting(_ earlier: [Note]) -> Step {
        var step = self
        step.notes = earlier + notes
        return step
    }

    /// Returns the step that ends the attempt with this failure.
    static func failed(
        _ category: UploadFailure.Category, _ summary: String, hint: String? = nil, notes: [Note] = []
    ) -> Step {
        .failed(UploadFailure(category, summary, hint: hint), notes: notes)
    }
}
