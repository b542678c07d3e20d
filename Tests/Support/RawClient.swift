/// A TCP client on 127.0.0.1 that sends and receives bytes without any framing. Its methods block the thread, for at
/// most ten seconds.
public final class RawClient: Sendable {
    /// The way in which a connection ended.
    public enum End: Hashable, Sendable {
        case closed, reset, timedOut
    }

    private let socket: Descriptor

    public init(port: UInt16) throws {
        socket = try .connected(to: port)
    }

    deinit {
        socket.close()
    }

    /// Sends bytes.
    ///
    /// - Returns: False if the server has ended the connection.
    @discardableResult
    public func send(_ text: String) -> Bool {
        socket.send(Array(text.utf8))
    }

    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        socket.send(bytes)
    }

    /// Receives text until it ends with `ending` or the connection ends.
    public func receive(until ending: String) -> String {
        var bytes: [UInt8] = []
        while !bytes.reversed().starts(with: ending.utf8.reversed()), let more = socket.receive(65_536) {
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Receives until the connection ends, and returns the text and how it ended.
    public func receiveAll() -> (text: String, end: End) {
        var bytes: [UInt8] = []
        while true {
            switch socket.receiveOrEnd(65_536) {
            case .success(let more): bytes += more
            case .failure(let ending): return (String(decoding: bytes, as: UTF8.self), ending.end)
            }
        }
    }

    /// Receives until the connection ends.
    public func receiveBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = socket.receive(65_536) { bytes += more }
        return bytes
    }

    public func close() {
        socket.close()
    }

    public func reset() {
        socket.reset()
    }
}
