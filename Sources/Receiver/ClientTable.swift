import Synchronization

/// The open connections of all clients, and their limits.
///
/// At a limit, a connection that has made no authorized request is closed for a newer one. Otherwise clients without
/// the token could keep out those that have it.
final class ClientTable: Sendable {
    typealias Action = @Sendable () -> Void

    private enum Standing {
        /// No request has arrived.
        case silent
        /// The head of the first request has arrived, and is not checked yet.
        case asking
        /// All requests so far had no token, or failed another check that comes before all else.
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

        /// Returns a connection of a client that may be closed; nil if there is none. Chooses among refused ones,
        /// sorted by age, or if there are none among silent ones.
        func closable(of client: ClientAddress, by choose: (Range<Int>) -> Int) -> ObjectIdentifier? {
            let all = connections.filter { $0.value.client == client && $0.value.standing.mayBeClosed }
            let refused = all.filter { $0.value.standing == .refused }
            let candidates = (refused.isEmpty ? all : refused).sorted { $0.value.number < $1.value.number }
            return candidates.isEmpty ? nil : candidates[choose(candidates.indices)].key
        }

        /// Returns the client with the most connections among those with one that may be closed; nil if there is none.
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
    ///   - total: The number of open connections at which a new one replaces another, if one may be closed.
    ///   - choose: Chooses the connection to close. The choice is random, so that a flood of connections cannot always
    ///     close a client that is slow to send its first request, such as over TLS.
    init(
        perClient: Int, total: Int, choose: @escaping @Sendable (Range<Int>) -> Int = { Int.random(in: $0) }
    ) {
        self.perClient = perClient
        self.total = total
        self.choose = choose
    }

    /// Counts a connection. At a limit, closes another one that has made no authorized request. At the limit of all
    /// clients, that is a connection of the client with the most connections. A connection with refused requests goes
    /// first.
    ///
    /// - Parameters:
    ///   - id: The channel of the connection.
    ///   - close: Closes the connection. Called at most once, from any thread.
    /// - Returns: False, without counting the connection, if the client is at its limit and none of its connections may
    ///   be closed.
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

    /// Records that a request was refused. No effect if an earlier one of the connection was authorized.
    func refuse(_ id: ObjectIdentifier) {
        let onChange = state.withLock { state -> Action? in
            guard state.connections[id]?.standing == .asking else { return nil }
            state.connections[id]?.standing = .refused
            return state.takeOnChange()
        }
        onChange?()
    }

    /// Returns true if a connection may be closed for a newer one.
    ///
    /// - Parameter onChange: Called once, from any thread, when the result may have changed. Never called if it was
    ///   true.
    func hasClosable(onChange: @escaping Action) -> Bool {
        state.withLock { state in
            if state.connections.values.contains(where: { $0.standing.mayBeClosed }) { return true }
            state.onChange = onChange
            return false
        }
    }
}
