import Synchronization

/// The open connections of all clients, and their limits.
///
/// At a limit, a new connection replaces one that has made no authorized request. Without this rule, clients without
/// the token could use up all connections and exclude the clients that have the token.
final class ClientTable: Sendable {
    typealias Action = @Sendable () -> Void

    private enum Standing {
        /// No request has arrived.
        case silent
        /// The head of the first request has arrived, and is not checked yet.
        case asking
        /// Every request so far was refused before it was authorized, for example because it had no token.
        case refused
        case authorized

        var mayBeClosed: Bool {
            switch self {
            case .silent, .refused: true
            case .asking, .authorized: false
            }
        }
    }

    private struct Connection {
        let client: ClientAddress
        /// The rank by age: older connections have smaller numbers.
        let number: Int
        let close: Action
        var standing = Standing.silent
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var counts: [ClientAddress: Int] = [:]
        var lastNumber = 0
        var onChange: Action?

        mutating func add(_ id: ObjectIdentifier, of client: ClientAddress, _ close: @escaping Action) {
            lastNumber += 1
            connections[id] = Connection(client: client, number: lastNumber, close: close)
            counts[client, default: 0] += 1
        }

        /// Removes a connection, and returns the function that closes it; nil if there is no such connection.
        mutating func remove(_ id: ObjectIdentifier) -> Action? {
            guard let connection = connections.removeValue(forKey: id) else { return nil }
            let count = counts[connection.client, default: 1] - 1
            counts[connection.client] = count > 0 ? count : nil
            return connection.close
        }

        /// Returns a connection of `client` that can be closed for another; nil if there is none. `choose` selects it
        /// by its index among the refused connections, sorted from old to new. If there are no refused connections,
        /// `choose` selects among the silent ones.
        func closable(of client: ClientAddress, by choose: (Range<Int>) -> Int) -> ObjectIdentifier? {
            let all = connections.filter { $0.value.client == client && $0.value.standing.mayBeClosed }
            let refused = all.filter { $0.value.standing == .refused }
            let candidates = (refused.isEmpty ? all : refused).sorted { $0.value.number < $1.value.number }
            return candidates.isEmpty ? nil : candidates[choose(candidates.indices)].key
        }

        /// Returns a client with a connection that can be closed for another; nil if there is none. If there are
        /// several such clients, returns the one with the most connections.
        func greediestClosable() -> ClientAddress? {
            connections.values.filter { $0.standing.mayBeClosed }
                .max { counts[$0.client, default: 0] < counts[$1.client, default: 0] }?.client
        }

        mutating func takeOnChange() -> Action? {
            defer { onChange = nil }
            return onChange
        }
    }

    private let perClient: Int
    private let total: Int
    private let choose: @Sendable (Range<Int>) -> Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - perClient: The maximum number of connections of one client.
    ///   - total: The limit for the connections of all clients. At this number, a new connection closes another, if one
    ///     can be closed.
    ///   - choose: Chooses the index of the connection to close, by default at random. A fixed choice would let a flood
    ///     of connections always close a client that is slow to send its first request, for example over TLS.
    init(
        perClient: Int, total: Int, choose: @escaping @Sendable (Range<Int>) -> Int = { Int.random(in: $0) }
    ) {
        self.perClient = perClient
        self.total = total
        self.choose = choose
    }

    /// Counts a new connection. At a limit, closes another connection that has made no authorized request, preferably
    /// one whose requests were refused. At the limit of one client, this is a connection of the same client. At the
    /// limit of all clients, it is a connection of the client with the most connections.
    ///
    /// - Parameters:
    ///   - id: The channel of the connection.
    ///   - close: Closes the new connection. Called at most once, from any thread.
    /// - Returns: True if the connection was counted. False if the client is at its limit and none of its connections
    ///   can be closed.
    func enter(_ id: ObjectIdentifier, of client: ClientAddress, close: @escaping Action) -> Bool {
        let (isCounted, closing, onChange) = state.withLock { state -> (Bool, Action?, Action?) in
            var closing: Action?
            var yielding: ClientAddress?
            let isAtLimit = state.counts[client, default: 0] >= perClient
            if isAtLimit {
                yielding = client
            } else if state.connections.count >= total {
                yielding = state.greediestClosable()
            }
            if let yielding, let chosen = state.closable(of: yielding, by: choose) {
                closing = state.remove(chosen)
            }
            guard !isAtLimit || closing != nil else { return (false, nil, nil) }
            state.add(id, of: client, close)
            return (true, closing, state.takeOnChange())
        }
        closing?()
        onChange?()
        return isCounted
    }

    /// Removes a closed connection from the count.
    func leave(_ id: ObjectIdentifier) {
        let onChange = state.withLock { state -> Action? in
            _ = state.remove(id)
            return state.takeOnChange()
        }
        onChange?()
    }

    /// Records that the head of a request has arrived.
    func ask(_ id: ObjectIdentifier) {
        state.withLock { state in
            guard state.connections[id]?.standing == .silent else { return }
            state.connections[id]?.standing = .asking
        }
    }

    /// Records that a request has passed the checks. Its connection is never closed for another one.
    func authorize(_ id: ObjectIdentifier) {
        state.withLock { state in state.connections[id]?.standing = .authorized }
    }

    /// Records that a request was refused. Has no effect after an authorized request on the same connection.
    func refuse(_ id: ObjectIdentifier) {
        let onChange = state.withLock { state -> Action? in
            guard state.connections[id]?.standing == .asking else { return nil }
            state.connections[id]?.standing = .refused
            return state.takeOnChange()
        }
        onChange?()
    }

    /// Returns true if a connection can be closed for a newer one.
    ///
    /// - Parameter onChange: Stored if the result is false, in place of an earlier function. Called once, from any
    ///   thread, when the result may have become true.
    func hasClosable(onChange: @escaping Action) -> Bool {
        state.withLock { state in
            if state.connections.values.contains(where: { $0.standing.mayBeClosed }) { return true }
            state.onChange = onChange
            return false
        }
    }
}
