import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A socket that is closed exactly once, even if several threads close it. After that its number is not used.
final class Descriptor: Sendable {
    let number: Int32
    private let state = Mutex(State.open)

    private enum State { case open, shutDown, closed }

    init(_ number: Int32) {
        self.number = number
    }

    static func listening(
        on port: UInt16 = 0, anywhere: Bool = false, receiveBuffer: Int32?
    ) throws -> (Descriptor, UInt16) {
        let number = socket(AF_INET, streamType, 0)
        guard number >= 0 else { throw currentError() }
        let descriptor = Descriptor(number)
        descriptor.prepare()
        // The buffer size is set before `listen`, because accepted connections inherit it and the TCP window is
        // announced at the handshake.
        if var size = receiveBuffer {
            setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        if port > 0 {
            var one: Int32 = 1
            setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = loopback(port: port)
        if anywhere { address.sin_addr.s_addr = 0 }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(number, pointer, size) == 0 && listen(number, 128) == 0
                    && getsockname(number, pointer, &size) == 0
            }
        }
        guard result else { throw descriptor.closing(currentError()) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    static func connected(to port: UInt16) throws -> Descriptor {
        let number = socket(AF_INET, streamType, 0)
        guard number >= 0 else { throw currentError() }
        let descriptor = Descriptor(number)
        descriptor.prepare()
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = loopback(port: port)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw descriptor.closing(currentError()) }
        return descriptor
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    var isOpen: Bool { state.withLock { $0 == .open } }

    /// The number of received bytes that are not read yet.
    var unreadCount: Int {
        state.withLock { state in
            guard state == .open else { return 0 }
            var count: Int32 = 0
            #if canImport(Darwin)
                var size = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(number, SOL_SOCKET, SO_NREAD, &count, &size)
            #else
                _ = ioctl(number, UInt(FIONREAD), &count)
            #endif
            return Int(count)
        }
    }

    /// Waits for a connection and returns it; nil once `stopping` is open or the socket is shut down.
    func accept(unless stopping: Gate) -> Descriptor? {
        while !stopping.isOpen {
            // On some systems `shutdown` does not wake a thread that waits on a listener, so the wait ends every 100
            // ms.
            guard waits(for: POLLIN, milliseconds: 100) else { continue }
            #if canImport(Darwin)
                let accepted = Darwin.accept(number, nil, nil)
            #else
                let accepted = Glibc.accept(number, nil, nil)
            #endif
            if accepted >= 0 {
                let descriptor = Descriptor(accepted)
                descriptor.prepare()
                return descriptor
            }
            guard [EINTR, EAGAIN, ECONNABORTED].contains(errno) else { return nil }
        }
        return nil
    }

    struct Ending: Error {
        var end: RawClient.End
    }

    /// Receives at most `limit` bytes; nil once either side has ended the connection.
    func receive(_ limit: Int) -> [UInt8]? {
        try? receiveOrEnd(limit).get()
    }

    /// Receives at least one byte and at most `limit`, or returns how the connection ended.
    func receiveOrEnd(_ limit: Int) -> Result<[UInt8], Ending> {
        var buffer = [UInt8](repeating: 0, count: limit)
        while isOpen {
            let count = recv(number, &buffer, limit, 0)
            if count > 0 { return .success(Array(buffer.prefix(count))) }
            if count == 0 { return .failure(Ending(end: .closed)) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .failure(Ending(end: .timedOut))
            default: return .failure(Ending(end: .reset))
            }
        }
        return .failure(Ending(end: .closed))
    }

    /// Sends all bytes.
    ///
    /// - Returns: False if the connection has ended.
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while isOpen, !rest.isEmpty {
            let count = rest.withUnsafeBytes { sendBytes(number, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return rest.isEmpty
    }

    func shutDownSending() {
        state.withLock { state in
            if state == .open { shutdown(number, Int32(SHUT_WR)) }
        }
    }

    /// Shuts the socket down, which wakes every thread that waits on it. Its owner must still call `close`.
    func shutDown() {
        state.withLock { state in
            guard state == .open else { return }
            shutdown(number, Int32(SHUT_RDWR))
            state = .shutDown
        }
    }

    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout.size(ofValue: linger))
        state.withLock { state in
            guard state != .closed else { return }
            setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, size)
        }
        close()
    }

    func close() {
        state.withLock { state in
            guard state != .closed else { return }
            closeFile(number)
            state = .closed
        }
    }

    func closing(_ error: POSIXError) -> POSIXError {
        close()
        return error
    }

    func prepare() {
        // A child process must not keep the connection open.
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            var one: Int32 = 1
            setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    private func waits(for events: Int32, milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: number, events: Int16(events), revents: 0)
        return poll(&waiting, 1, milliseconds) > 0
    }
}

func currentError() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
}

private func closeFile(_ number: Int32) {
    close(number)
}

#if canImport(Darwin)
    let streamType = SOCK_STREAM

    private func sendBytes(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        Darwin.send(number, bytes, count, 0)
    }
#else
    let streamType = Int32(SOCK_STREAM.rawValue)

    private func sendBytes(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        Glibc.send(number, bytes, count, Int32(MSG_NOSIGNAL))
    }
#endif
