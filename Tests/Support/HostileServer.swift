import Foundation
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that does what the test says, byte by byte, however wrong.
///
/// A script runs on a thread of its own for every connection. What it reads of requests is recorded. After `stop()`
/// no thread of it runs and no socket is open:
/// ```
/// let server = try HostileServer([.reset(afterBodyBytes: 1000), .answer(201)])
/// defer { server.stop() }
/// ```
public final class HostileServer: Sendable {
    /// Asked for something the server never saw.
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
    ///   - place: The address to listen at; `port` is 0 if it has no port.
    ///   - bodyLimit: How many bytes of each request's body are kept; all are counted.
    ///   - receiveBuffer: The size of the kernel's buffer for what was not read; small makes a client notice soon.
    ///   - remembers: False keeps no requests: for tests that make thousands and measure memory.
    ///   - script: Run for every connection; it is closed when the script returns or throws.
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

    /// Follows a list: each request that arrives, on whatever connection, meets the next behaviour. Requests beyond
    /// the list get a 500.
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

    /// `http://127.0.0.1:PORT` and the path, which begins with a slash.
    public func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The requests whose head was read, in that order.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// The number of accepted connections.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Returns once `condition` holds for the requests; it is asked whenever a head, a piece of a body or its end was
    /// read.
    /// - Throws: `TimedOut` after `limit` of real time.
    @discardableResult
    public func wait(
        upTo limit: Duration = .seconds(10), for condition: @escaping @Sendable ([RecordedRequest]) -> Bool
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

    /// Ends every connection and every thread, and returns when they have ended. May be called more than once.
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
            // `stop()` may have gone through the list just before.
            if stopping.isOpen { connection.interrupt() }
            Thread.detachNewThread { self.serve(connection) }
        }
        listener.close()
        threadEnded()
    }

    private func serve(_ connection: HostileConnection) {
        // What a script throws is that the client is gone, or sent what cannot be read: the records show the test.
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
    /// Connections are numbered from 1.
    public let connection: Int
    public let method: String
    public let target: String
    /// The header fields in the order and with the names as sent.
    public let headers: [(name: String, value: String)]
    /// Bytes of content that were read, without the framing of chunks.
    public internal(set) var bodyByteCount = 0
    /// Their beginning, as far as the server keeps it.
    public internal(set) var body: [UInt8] = []
    /// Whether the content was read to its end.
    public internal(set) var isComplete = false

    /// The first value of a field; names compare without regard to case.
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
