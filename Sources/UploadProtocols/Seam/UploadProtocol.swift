/// An upload protocol as a state machine without sockets and files. One value serves one attempt. The caller first
/// calls `start`, performs each returned step until `done` or `failed`, and passes the outcome of each request to
/// `receive`.
public protocol UploadProtocol: Sendable {
    /// The name of the protocol in the configuration: `put`, `tus`, …
    static var name: String { get }
    /// The properties that all uploads by the protocol share, such as whether an upload can resume.
    static var traits: ProtocolTraits { get }

    /// Makes a value of this protocol for one attempt to upload `item`.
    init(item: UploadItem, options: ProtocolOptions)

    /// Makes the check of the destination at `url`, which can contain `{name}`; nil if the protocol has no check.
    static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)?

    /// Starts the attempt and returns its first step.
    ///
    /// - Parameters:
    ///   - resource: The last recorded state of an earlier attempt, to resume from; nil for a new upload.
    ///   - capabilities: The stored features of this server; nil if they are missing or out of date.
    mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step

    /// Handles the outcome of one request, and returns the next step.
    ///
    /// - Parameter exchange: The request; of several in flight, `exchange.part` tells them apart.
    mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step

    /// Returns the requests that delete an unfinished upload on the server; empty if the protocol cannot delete it.
    func removal(of resource: UploadResource) -> [Exchange]
}

extension UploadProtocol {
    public static func check(url: String, options: ProtocolOptions) -> (any DestinationCheck)? { nil }
    public func removal(of resource: UploadResource) -> [Exchange] { [] }
}

/// A protocol that has one request in flight at a time.
public protocol SequentialProtocol: UploadProtocol {
    /// Handles the outcome of the request in the last step, and returns the next step.
    mutating func receive(_ reply: ExchangeOutcome) -> Step
}

extension SequentialProtocol {
    public mutating func receive(_ reply: ExchangeOutcome, to exchange: Exchange) -> Step { receive(reply) }
}

/// The next action of an attempt to upload a file.
public enum Step: Sendable {
    /// Records the notes in order, then sends the request, whose outcome is passed to `receive`.
    case send(Exchange, notes: [Note] = [])
    /// Records the notes in order, then sends all requests at once. Each outcome is passed to `receive`.
    case sendAll([Exchange], notes: [Note] = [])
    /// Records the notes in order, then waits for a request in flight. If there is none, the attempt fails.
    case wait(notes: [Note] = [])
    /// Records the notes in order, then ends the attempt with success. Requests in flight are cancelled.
    case done(Receipt, notes: [Note] = [])
    /// Records the notes in order, then ends the attempt with the failure. Requests in flight are cancelled.
    case failed(UploadFailure, notes: [Note] = [])

    /// A fact that the code which performs the step must record first.
    public enum Note: Sendable, Hashable {
        /// The state from which a later attempt resumes; nil deletes it. A new URL or `memory` is on disk before the
        /// step.
        case resource(UploadResource?)
        /// The features of the server, to be stored for the destination.
        case capabilities(ServerCapabilities)
        /// The server has lost this number of bytes, which it had confirmed before.
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

    /// The notes of this step: facts to record before the step is performed.
    public var notes: [Note] {
        switch self {
        case .send(_, let notes), .sendAll(_, let notes), .wait(let notes), .done(_, let notes),
            .failed(_, let notes):
            notes
        }
    }

    /// Returns a copy of this step with the notes `earlier` before its own.
    public func noting(_ earlier: [Note]) -> Step {
        let all = earlier + notes
        return switch self {
        case .send(let exchange, _): .send(exchange, notes: all)
        case .sendAll(let exchanges, _): .sendAll(exchanges, notes: all)
        case .wait: .wait(notes: all)
        case .done(let receipt, _): .done(receipt, notes: all)
        case .failed(let failure, _): .failed(failure, notes: all)
        }
    }

    static func failed(
        _ category: UploadFailure.Category, _ summary: String, hint: String? = nil, notes: [Note] = []
    ) -> Step {
        .failed(UploadFailure(category, summary, hint: hint), notes: notes)
    }
}
