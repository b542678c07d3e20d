/// An upload protocol without a socket, a file or a clock: replies in, steps out.
///
/// One value serves one attempt. The driver calls `start`, performs what the step asks, and calls `receive` with what
/// came of it, until a step ends the attempt.
public protocol UploadProtocol: Sendable {
    /// The name in the configuration: `put`, `tus`, …
    static var name: String { get }
    /// The abilities of the protocol, the same for every upload.
    static var traits: ProtocolTraits { get }

    /// Makes the protocol for one attempt at `item`.
    init(item: UploadItem, options: ProtocolOptions)

    /// Makes the questions to a destination at `url`, with `{name}` where it has that; nil if there is nothing to ask.
    static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)?

    /// - Parameter resource: What an earlier attempt was given to go on with, as last noted.
    /// - Parameter capabilities: What this server is known to offer; nil if nobody has asked it yet.
    mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step

    /// Takes what came of one of the exchanges of the steps before.
    ///
    /// - Parameter exchange: As the protocol gave it; its `part` tells parts apart.
    mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step

    /// The requests that delete what the server holds of an unfinished upload; empty if there are none.
    func removal(of resource: UploadResource) -> [Exchange]
}

extension UploadProtocol {
    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? { nil }
    public func removal(of resource: UploadResource) -> [Exchange] { [] }
}

/// A protocol that has one request under way at a time.
public protocol SequentialProtocol: UploadProtocol {
    /// Takes what came of the exchange of the last step.
    mutating func receive(_ reply: ExchangeOutcome) -> Step
}

extension SequentialProtocol {
    public mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step { receive(reply) }
}

/// The next action of the driver.
public enum Step: Sendable {
    /// Take the notes, in order, then perform the exchange and report what came of it.
    case send(Exchange, notes: [Note] = [])
    /// Take the notes, then perform all of these at once. Each is reported when it ends.
    case sendAll([Exchange], notes: [Note] = [])
    /// Take the notes and report what comes of the exchanges that are still under way. Without any the attempt fails.
    case wait(notes: [Note] = [])
    /// The upload is done. Requests in flight are cancelled.
    case done(Receipt, notes: [Note] = [])
    /// The upload has failed. Requests in flight are cancelled.
    case failed(UploadFailure, notes: [Note] = [])

    /// A fact to remember before the step is carried out.
    public enum Note: Sendable, Hashable {
        /// The resource to resume with from now on; nil if it is gone. A new address must be durable before anything is
        /// sent.
        case resource(UploadResource?)
        /// The features that the server offers, asked for once and then kept for the destination.
        case capabilities(ServerCapabilities)
        /// The server holds fewer bytes than it had acknowledged.
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

    /// The notes of any step.
    public var notes: [Note] {
        switch self {
        case .send(_, let notes), .sendAll(_, let notes), .wait(let notes), .done(_, let notes),
            .failed(_, let notes):
            notes
        }
    }

    /// The same step with these notes before its own.
    public func noting(_ earlier: [Note]) -> Step {
        switch self {
        case .send(let exchange, let notes): .send(exchange, notes: earlier + notes)
        case .sendAll(let exchanges, let notes): .sendAll(exchanges, notes: earlier + notes)
        case .wait(let notes): .wait(notes: earlier + notes)
        case .done(let receipt, let notes): .done(receipt, notes: earlier + notes)
        case .failed(let failure, let notes): .failed(failure, notes: earlier + notes)
        }
    }
}
