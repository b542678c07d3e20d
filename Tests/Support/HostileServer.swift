import Foundation
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that runs a script of the test for each connection. The script decides about every
/// byte, however wrong.
///
/// Each connection has a thread of its own. Requests are recorded. After `stop()` no thread of the server runs, and all
/// its sockets are closed:
/// ```
/// let server = try HostileServer([.reset(afterBodyBytes: 1000), .answer(201)])
/// defer { server.stop() }
/// ```
public final class HostileServer: Sendable {
    /// The expected requests did not arrive in time. `requests` are those that did.
    public struct TimedOut: Error {
        public let requests: [RecordedRequest]
    }

    private struct State {
        var requests: [RecordedRequest] = []
        var connections: [Int: HostileConnection] = [:]
        var connectionCount = 0
        var threads = 0
        var watchers: [(isMet: @Sendable ([RecordedRequest]) -> Bool, gate: Gate)] = []
    }

    public let port: UInt16
    private let listener: Descriptor
    private let state = Mutex(State())
    private let stopping = Gate()
    private let ended = Gate()
    private let bodyLimit: Int
    private let receiveBuffer: Int32?
    private let remembers: Bool
    private let script: @Sendable (HostileConnection) throws -> Void

    /// Listens on a free port.
    /// - Parameters:
    ///   - place: The address to listen on; `port` is 0 if it has no port.
    ///   - bodyLimit: The number of bytes of each body that are kept. All bytes are counted.
    ///   - receiveBuffer: The size of the kernel's receive buffer. With a small one a client soon notices that the
    ///     server does not read.
    ///   - remembers: False if no requests are kept, for tests that make thousands and measure memory.
    ///   - script: Runs for each connection, which is closed when it returns or throws.
    public init(
        at place: ListeningAddress = .ipv4, bodyLimit: Int = 1 << 20, receiveBuffer: Int32? = nil,
        remembers: Bool = true,
        _ script: @escaping @Sendable (HostileConnection) throws -> Void
    ) throws {
        self.bodyLimit = bodyLimit
        self.receiveBuffer = receiveBuffer
        self.remembers = remembers
        self.script = script
        (listener, port) =
            place == .ipv4
            ? try Descriptor.listening(receiveBuffer: receiveBuffer) : try Descriptor.listening(at: place)
        state.withLock { $0.threads = 1 }
        Thread.detachNewThread { self.accept() }
    }

    /// Handles each request by the next behavior of a list, in the order in which they arrive on all connections.
    /// Further requests get a 500.
    public convenience init(
        at place: ListeningAddress = .ipv4, bodyLimit: Int = 1 << 20, receiveBuffer: Int32? = nil,
        _ behaviors: [HostileBehavior]
    ) throws {
        let remaining = RemainingBehaviors(behaviors)
        try self.init(at: place, bodyLimit: bodyLimit, receiveBuffer: receiveBuffer) { connection in
            while try connection.waitForRequest() {
                try remaining.next().run(connection)
                guard connection.isOpen else { return }
            }
        }
    }

    /// Returns the server's URL, `http://127.0.0.1:PORT`, with a path. The path begins with a slash.
    public func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The requests so far, in the order in which their heads were read.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// The number of accepted connections.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Waits until `condition` holds for the requests. It is checked whenever the server has read a head, a part of a
    /// body or its end.
    /// - Throws: `TimedOut` after `limit` of real time.
    @discardableResult
    public func wait(
        upTo limit: Duration = Gate.limit, for condition: @escaping @Sendable ([RecordedRequest]) -> Bool
    ) async throws -> [RecordedRequest] {
        let gate = Gate()
        state.withLock { state in
            if condition(state.requests) { gate.open() } else { state.watchers.append((condition, gate)) }
        }
        do {
            try await gate.wait(upTo: limit)
        } catch is Gate.TimedOut {
            throw TimedOut(requests: requests)
        }
        return requests
    }

    /// Ends all connections and threads, and returns when they have ended. It can be called several times.
    public func stop() {
        stopping.open()
        listener.shutDown()
        for connection in state.withLock({ Array($0.connections.values) }) { connection.interrupt() }
        ended.block()
    }

    private func accept() {
        while !stopping.isOpen, let socket = listener.accept(unless: stopping) {
            let connection: HostileConnection = state.withLock { state in
                state.connectionCount += 1
                state.threads += 1
                let connection = HostileConnection(
                    number: state.connectionCount, socket: socket, server: self, stopping: stopping)
                state.connections[connection.number] = connection
                return connection
            }
            // `stop()` may have interrupted the known connections just before this one was added.
            if stopping.isOpen { connection.interrupt() }
            Thread.detachNewThread { self.serve(connection) }
        }
        listener.close()
        threadEnded()
    }

    private func serve(_ connection: HostileConnection) {
        // A script throws if the client has closed the connection or sent something invalid. The test checks the
        // records.
        try? script(connection)
        connection.close()
        state.withLock { $0.connections[connection.number] = nil }
        threadEnded()
    }

    private func threadEnded() {
        let isLast = state.withLock { state in
            state.threads -= 1
            return state.threads == 0
        }
        if isLast { ended.open() }
    }

    /// Adds a request and returns its position in the list; nil if there is none.
    func record(_ request: RecordedRequest) -> Int? {
        guard remembers else { return nil }
        return change { requests in
            requests.append(request)
            return requests.count - 1
        }
    }

    func recordBody(_ bytes: ArraySlice<UInt8>, ofRequest place: Int, isComplete: Bool) {
        change { requests in
            requests[place].bodyByteCount += bytes.count
            requests[place].isComplete = isComplete
            requests[place].body += bytes.prefix(max(0, bodyLimit - requests[place].body.count))
        }
    }

    private func change<Result: Sendable>(_ body: (inout [RecordedRequest]) -> Result) -> Result {
        let (result, met): (Result, [Gate]) = state.withLock { state in
            let result = body(&state.requests)
            let met = state.watchers.filter { $0.isMet(state.requests) }.map(\.gate)
            if !met.isEmpty { state.watchers.removeAll { watcher in met.contains { $0 === watcher.gate } } }
            return (result, met)
        }
        for gate in met { gate.open() }
        return result
    }
}

/// A request as the server read it.
public struct RecordedRequest: Sendable {
    /// The number of the connection, from 1.
    public let connection: Int
    public let method: String
    public let target: String
    /// The header fields, in the order and with the names in which they were sent.
    public let headers: [(name: String, value: String)]
    /// The number of body bytes read, without the framing of chunks.
    public internal(set) var bodyByteCount = 0
    /// The first bytes of the body, up to the server's `bodyLimit`.
    public internal(set) var body: [UInt8] = []
    /// True if the body was read to its end.
    public internal(set) var isComplete = false

    /// The first value of a header field. The case of its name does not matter.
    public subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

private final class RemainingBehaviors: Sendable {
    private let behaviors: Mutex<ArraySlice<HostileBehavior>>

    init(_ behaviors: [HostileBehavior]) {
        self.behaviors = Mutex(behaviors[...])
    }

    func next() -> HostileBehavior {
        behaviors.withLock { $0.popFirst() }
            ?? .answer(500, body: "The test has no behaviour left for this request.", keepAlive: false)
    }
}
