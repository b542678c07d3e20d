/// An upload protocol without a socket, a file or a clock: it turns replies into steps.
///
/// One value serves one attempt. The driver calls `start`, performs the step, and calls `receive` with the outcome,
/// until a step ends the attempt.
public protocol UploadProtocol: Sendable {
    /// The name in the configuration: `put`, `tus`, …
    static var name: String { get }
    /// The abilities of the protocol, the same for every upload.
    static var traits: ProtocolTraits { get }

    /// Makes the protocol for one attempt at `item`.
    init(item: UploadItem, options: ProtocolOptions)

    /// Makes the check of a destination at `url`, possibly with `{name}`; nil if the protocol has none.
    static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)?

    /// - Parameter resource: The last recorded state of an earlier attempt, to resume from.
    /// - Parameter capabilities: The known features of this server; nil if they were never requested.
    mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step

    /// Handles the outcome of one of the exchanges of earlier steps.
    ///
    /// - Parameter exchange: The exchange as the protocol made it; its `part` distinguishes parts.
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
    /// Handles the outcome of the exchange of the last step.
    mutating func receive(_ reply: ExchangeOutcome) -> Step
}

extension SequentialProtocol {
    public mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step { receive(reply) }
}

/// The next action of the driver.
public enum Step: Sendable {
    /// Record the notes in order, then perform the exchange and report its outcome.
    case send(Exchange, notes: [Note] = [])
    /// Record the notes, then perform all of these at once. Each outcome is reported when it arrives.
    case sendAll([Exchange], notes: [Note] = [])
    /// Record the notes and report the outcomes of the exchanges in flight. If there are none, the attempt fails.
    case wait(notes: [Note] = [])
    /// The upload is done. Requests in flight are cancelled.
    case done(Receipt, notes: [Note] = [])
    /// The upload has failed. Requests in flight are cancelled.
    case failed(UploadFailure, notes: [Note] = [])

    /// A fact to record before the step is performed.
    public enum Note: Sendable, Hashable {
        /// The resource to resume with from now on; nil if it is gone. A new URL must be durable before any byte is
        /// sent.
        case resource(UploadResource?)
        /// The features of the server, requested once and then stored for the destination.
        case capabilities(ServerCapabilities)
        /// The server has lost so many of the bytes that it had confirmed.
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

    /// The notes of the step.
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

    /// Returns the same step with these notes before its own.
    public func noting(_ earlier: [Note]) -> Step {
        var step = self
        step.notes = earlier + notes
        return step
    }

    /// Returns the step that ends the upload with this failure.
    static func failed(
        _ category: UploadFailure.Category, _ summary: String, hint: String? = nil, notes: [Note] = []
    ) -> Step {
        .failed(UploadFailure(category, summary, hint: hint), notes: notes)
    }
}
