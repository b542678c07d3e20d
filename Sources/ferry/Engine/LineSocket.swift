import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One end of a connected socket on which lines go both ways. Writing and reading block; the socket is closed with the
/// last reference.
final class LineSocket: Sendable {
    /// Nothing that is sent on it is longer.
    static let lineLimit = 1 << 30

    fileprivate let descriptor: CInt

    /// - Parameters:
    ///   - descriptor: Is closed by the new object.
    ///   - patience: Seconds that the other end may stand still.
    init(_ descriptor: CInt, patience: Int) {
        self.descriptor = descriptor
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] { setTimeout(option, patience) }
    }

    deinit { close(descriptor) }

    /// Lets the other end be silent for ever. It must still take what it is sent.
    func waitForever() { setTimeout(SO_RCVTIMEO, 0) }

    /// Whoever reads or writes at either end finds the end of the stream. From any thread.
    func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// - Returns: False if the other end has gone or takes nothing.
    func write(_ bytes: some ContiguousBytes) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = bytes.baseAddress?.advanced(by: done)
                let count = send(descriptor, rest, bytes.count - done, CInt(Self.noSignal))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    /// Writes a value as a line of JSON.
    func write(line value: some Encodable) -> Bool {
        guard var line = try? JSONEncoder().encode(value) else { return false }
        line.append(0x0A)
        return write(line)
    }

    private func setTimeout(_ option: CInt, _ seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    #if os(Linux)
        private static let noSignal = MSG_NOSIGNAL
    #else
        private static let noSignal = 0
    #endif
}

/// The lines that come in on a socket, for the one thread that reads it.
struct IncomingLines {
    private let socket: LineSocket
    private var buffer: [UInt8] = []
    /// Up to where `buffer` has been given out.
    private var start = 0

    init(_ socket: LineSocket) { self.socket = socket }

    /// The next line without its break; nil at the end of the stream, after an error and beyond the limit.
    mutating func next() -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            buffer.removeSubrange(..<start)
            start = 0
            searched = buffer.count
            guard buffer.count < LineSocket.lineLimit, fill() else { return nil }
        }
    }

    private mutating func fill() -> Bool {
        let capacity = 65_536
        while true {
            var result = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: capacity) { bytes, count in
                result = read(socket.descriptor, bytes.baseAddress, capacity)
                count = max(0, result)
            }
            if result < 0, errno == EINTR { continue }
            buffer += chunk
            return result > 0
        }
    }
}
