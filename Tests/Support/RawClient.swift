/// A TCP client on 127.0.0.1 that sends and receives bytes as they are. Its methods block the thread, for ten seconds
/// at most.
public final class RawClient: Sendable {
    /// The end of a conversation.
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

    /// - Returns: false if the other side no longer listens.
    @discardableResult
    public func send(_ text: String) -> Bool {
        socket.send(Array(text.utf8))
    }

    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        socket.send(bytes)
    }

    /// Receives until the text so far ends with `ending`, or the other side ends.
    public func receive(until ending: String) -> String {
        var bytes: [UInt8] = []
        while !bytes.reversed().starts(with: ending.utf8.reversed()), let more = socket.receive(65_536) {
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Receives until the other side ends, and says how it did.
    public func receiveAll() -> (text: String, end: End) {
        var bytes: [UInt8] = []
        while true {
            switch socket.receiveOrEnd(65_536) {
            case .success(let more): bytes += more
            case .failure(let ending): return (String(decoding: bytes, as: UTF8.self), ending.end)
            }
        }
    }

    /// Receives until the other side ends.
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
