import Synchronization

/// An accepted connection of a `HostileServer`, used by its script. Its methods block the script's thread until the
/// server stops.
public final class HostileConnection: Sendable {
    public enum Failure: Error {
        /// The client closed or reset the connection, or the server stopped.
        case ended
        /// The received bytes are not an HTTP/1.1 request.
        case malformed(String)
    }

    private struct State {
        var buffer: ArraySlice<UInt8> = []
        var request: Int?
        var framing = Framing.none
    }

    /// The framing of the request's remaining content.
    private enum Framing {
        case none
        case length(Int)
        case chunks(leftInChunk: Int)
    }

    /// The number of the connection, from 1 in the order of acceptance.
    public let number: Int
    private let socket: Descriptor
    private let server: HostileServer
    private let stopping: Gate
    private let state = Mutex(State())

    private static let maximumHeadLength = 1 << 20

    init(number: Int, socket: Descriptor, server: HostileServer, stopping: Gate) {
        self.number = number
        self.socket = socket
        self.server = server
        self.stopping = stopping
    }

    public var isOpen: Bool { socket.isOpen }

    /// The number of bytes that were received and not read yet.
    public var received: Int { state.withLock { $0.buffer.count } }

    /// Waits for the first byte of a request, and leaves it unread.
    /// - Returns: False if the client closed the connection instead.
    public func waitForRequest() throws -> Bool {
        if state.withLock({ !$0.buffer.isEmpty }) { return true }
        do {
            try fill()
            return true
        } catch Failure.ended {
            return false
        }
    }

    /// Reads bytes of another protocol than HTTP.
    @discardableResult
    public func readBytes(_ count: Int) throws -> [UInt8] {
        while state.withLock({ $0.buffer.count < count }) { try fill() }
        return state.withLock { state in
            defer { state.buffer = state.buffer.dropFirst(count) }
            return Array(state.buffer.prefix(count))
        }
    }

    /// Reads the request line and the header fields, and records them.
    @discardableResult
    public func readHead() throws -> RecordedRequest {
        var lines: [String] = []
        var length = 0
        while true {
            let line = try readLine()
            length += line.utf8.count + 2
            guard length <= Self.maximumHeadLength else { throw Failure.malformed("the head is too long") }
            if !line.isEmpty { lines.append(line) } else if !lines.isEmpty { break }
        }
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { throw Failure.malformed(lines[0]) }
        let headers = try lines.dropFirst().map { line in
            guard let colon = line.firstIndex(of: ":") else { throw Failure.malformed(line) }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (name: String(line[..<colon]), value: String(value))
        }
        var request = RecordedRequest(
            connection: number, method: String(words[0]), target: String(words[1]), headers: headers)
        let framing: Framing =
            if request["Transfer-Encoding"]?.lowercased() == "chunked" {
                .chunks(leftInChunk: 0)
            } else {
                .length(request["Content-Length"].flatMap { Int($0) } ?? 0)
            }
        if case .length(0) = framing { request.isComplete = true }
        let place = server.record(request)
        state.withLock { state in
            state.request = place
            state.framing = request.isComplete ? .none : framing
        }
        return request
    }

    /// Reads a part of the current request's body.
    /// - Parameter limit: The maximum number of bytes; nil reads to the end of the body.
    /// - Returns: The number of bytes read.
    @discardableResult
    public func readBody(_ limit: Int? = nil) throws -> Int {
        var left = limit ?? .max
        var total = 0
        while left > 0, let count = try readChunk(left) {
            total += count
            left -= count
        }
        return total
    }

    /// Reads a whole request and returns it.
    @discardableResult
    public func readRequest() throws -> RecordedRequest {
        let request = try readHead()
        try readBody()
        return request
    }

    /// Sends bytes without any framing.
    public func write(_ bytes: [UInt8]) throws {
        guard socket.send(bytes) else { throw Failure.ended }
    }

    /// Sends text without any framing. Lines of HTTP end with `\r\n`.
    public func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    /// Sends a whole response. `Content-Length` is added unless the headers contain it or the status allows no body.
    public func answer(
        _ status: Int, headers: [(String, String)] = [], body: String = "", keepAlive: Bool = true
    ) throws {
        var head = "HTTP/1.1 \(status) Status\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        let isFramed = headers.contains {
            ["content-length", "transfer-encoding"].contains($0.0.lowercased())
        }
        if !isFramed, status >= 200, status != 204 { head += "Content-Length: \(body.utf8.count)\r\n" }
        if !keepAlive { head += "Connection: close\r\n" }
        try write(head + "\r\n" + body)
    }

    /// Closes the connection (FIN). The client still receives what was sent before, unless it has sent bytes that were
    /// not read.
    public func close() {
        socket.close()
    }

    /// Closes the sending direction (FIN). The connection can still receive.
    public func closeSending() {
        socket.shutDownSending()
    }

    /// Resets the connection (RST). Bytes that were sent before may be lost.
    public func reset() {
        socket.reset()
    }

    /// Neither reads nor sends until the gate opens or the server stops. The time limit only ends a test that forgot to
    /// open the gate; on a busy machine the steps before may take minutes.
    public func hold(until gate: Gate) throws {
        gate.block(orUntil: stopping, upTo: .seconds(1200))
        if stopping.isOpen { throw Failure.ended }
    }

    /// Neither reads nor sends until the server stops.
    public func stall() {
        stopping.block(upTo: .seconds(1200))
    }

    /// Reads and discards until the client closes the connection, so that no reset destroys the response.
    public func drain() {
        while (try? fill()) != nil { state.withLock { $0.buffer = [] } }
    }

    func interrupt() {
        socket.shutDown()
    }

    private func fill() throws {
        guard let bytes = socket.receive(65_536) else { throw Failure.ended }
        state.withLock { $0.buffer += bytes }
    }

    private func readLine() throws -> String {
        while true {
            let line: String? = try state.withLock { state in
                guard let end = state.buffer.firstIndex(of: UInt8(ascii: "\n")) else {
                    guard state.buffer.count <= Self.maximumHeadLength else {
                        throw Failure.malformed("line")
                    }
                    return nil
                }
                let bytes = state.buffer[..<end]
                state.buffer = state.buffer[(end + 1)...]
                return String(
                    decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
            }
            if let line { return line }
            try fill()
        }
    }

    /// Reads at most `limit` bytes of the body; nil at its end.
    private func readChunk(_ limit: Int) throws -> Int? {
        switch state.withLock({ $0.framing }) {
        case .none: return nil
        case .length(let left):
            let count = try take(min(left, limit), isLast: { $0 == left })
            state.withLock { $0.framing = count == left ? .none : .length(left - count) }
            return count
        case .chunks(leftInChunk: 0):
            let line = try readLine()
            guard let size = Int(line.prefix { $0 != ";" }, radix: 16), size >= 0 else {
                throw Failure.malformed(line)
            }
            if size > 0 {
                state.withLock { $0.framing = .chunks(leftInChunk: size) }
                return 0
            }
            while try !readLine().isEmpty {}  // trailer fields
            _ = try take(0, isLast: { _ in true })
            state.withLock { $0.framing = .none }
            return nil
        case .chunks(let left):
            let count = try take(min(left, limit), isLast: { _ in false })
            if count == left { _ = try readLine() }
            state.withLock { $0.framing = .chunks(leftInChunk: left - count) }
            return count
        }
    }

    private func take(_ limit: Int, isLast: (Int) -> Bool) throws -> Int {
        if limit > 0, state.withLock({ $0.buffer.isEmpty }) { try fill() }
        let (bytes, place) = state.withLock { state in
            let bytes = state.buffer.prefix(limit)
            state.buffer = state.buffer.dropFirst(bytes.count)
            return (bytes, state.request)
        }
        if let place { server.recordBody(bytes, ofRequest: place, isComplete: isLast(bytes.count)) }
        return bytes.count
    }
}
