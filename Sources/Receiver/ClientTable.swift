import FerryFiles
import NIOCore
import Synchronization

/// The open connections of all clients, and the maximum numbers of connections. At a maximum, a new connection replaces
/// one that has made no authorized request. Otherwise clients without the token could exclude those that have it.
final class ClientTable: Sendable {
    typealias Action = @Sendable () -> Void

    private enum Standing {
        case silent
        case asking
        /// A request was refused, for example because it had no token. No request was authorized.
        case refused
        case authorized

        var mayBeClosed: Bool { self == .silent || self == .refused }
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

        mutating func remove(_ id: ObjectIdentifier) -> Action? {
            guard let connection = connections.removeValue(forKey: id) else { return nil }
            let count = counts[connection.client, default: 1] - 1
            counts[connection.client] = count > 0 ? count : nil
            return connection.close
        }

        /// Returns a connection of `client` that can be closed, preferably a refused one. `choose` receives the indices
        /// of these connections, sorted from old to new, and returns one index.
        func closable(of client: ClientAddress, by choose: (Range<Int>) -> Int) -> ObjectIdentifier? {
            let all = connections.filter { $0.value.client == client && $0.value.standing.mayBeClosed }
            let refused = all.filter { $0.value.standing == .refused }
            let candidates = (refused.isEmpty ? all : refused).sorted { $0.value.number < $1.value.number }
            return candidates.isEmpty ? nil : candidates[choose(candidates.indices)].key
        }

        /// Returns the client with the most connections of those with a connection that can be closed.
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

    /// - Parameter choose: Chooses the index of the connection to close, by default at random. With a fixed choice, a
    ///   client that opens many connections could make the receiver always close the connection of a slow client.
    init(
        perClient: Int, total: Int, choose: @escaping @Sendable (Range<Int>) -> Int = { Int.random(in: $0) }
    ) {
        self.perClient = perClient
        self.total = total
        self.choose = choose
    }

    /// Adds a new connection. At the limit of one client, first closes a connection of that client. At the limit of all
    /// clients, closes one of `greediestClosable`.
    ///
    /// - Parameter close: Closes the new connection. It is called at most once, from any thread.
    /// - Returns: False, and adds nothing, if the client is at its limit and none of its connections can be closed.
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

    func leave(_ id: ObjectIdentifier) {
        let onChange = state.withLock { state -> Action? in
            _ = state.remove(id)
            return state.takeOnChange()
        }
        onChange?()
    }

    /// Records that the head of the first request has arrived on a connection. Has no effect for later requests.
    func ask(_ id: ObjectIdentifier) {
        state.withLock { state in
            guard state.connections[id]?.standing == .silent else { return }
            state.connections[id]?.standing = .asking
        }
    }

    /// Records that a request on a connection was authorized. The table never closes such a connection.
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

    /// Returns true if a connection can be closed to make room for a new one.
    /// - Parameter onChange: Called once, from any thread, when such a connection possibly exists. It is stored only if
    ///   the result is false, and replaces the function of an earlier call.
    func hasClosable(onChange: @escaping Action) -> Bool {
        state.withLock { state in
            if state.connections.values.contains(where: { $0.standing.mayBeClosed }) { return true }
            state.onChange = onChange
            return false
        }
    }
}

/// The identity of a client for limits: an IPv4 address, or the /64 network of an IPv6 address, whose last 64 bits a
/// host is free to choose (RFC 4291 §2.5.1). All loopback addresses are one client, for the same reason.
struct ClientAddress: Hashable, Sendable {
    /// The IPv4 address or IPv6 network as text; empty if the client's address is unknown.
    let text: String

    init(_ address: SocketAddress?) {
        switch address?.ipAddress.flatMap({ IPAddress($0.prefix { $0 != "%" }) })?.unmapped {
        case let local? where local.isLocal: text = "127.0.0.1"
        case .ipv4(let bytes): text = bytes.map { "\($0)" }.joined(separator: ".")
        case .ipv6(let bytes):
            text =
                stride(from: 0, to: 8, by: 2).map { index in
                    String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
                }.joined(separator: ":") + "::/64"
        case nil: text = ""
        }
    }
}
