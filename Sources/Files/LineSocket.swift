#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One end of a connected socket that carries lines in both directions. Writing and reading block.
package final class LineSocket: Sendable {
    /// The maximum length of a line in bytes, without its line break.
    package static let lineLimit = 1 << 30

    fileprivate let descriptor: CInt

    /// Connects to the Unix domain socket at `path`. A blocked read or write fails after `timeout` seconds.
    package convenience init?(connectingTo path: LocalPath, timeout: Int) {
        let descriptor = LocalAddress.openSocket()
        guard descriptor >= 0 else { return nil }
        self.init(descriptor, timeout: timeout)
        guard LocalAddress.with(path, { connect(descriptor, $0, $1) }) == 0 else { return nil }
    }

    init(_ descriptor: CInt, timeout: Int) {
        self.descriptor = descriptor
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] { setTimeout(option, timeout) }
    }

    deinit { close(descriptor) }

    /// True if the process at the other end runs as the same user.
    package var isOfSameUser: Bool { peer?.user == getuid() }

    package var process: Int32? { peer?.process }

    private var peer: (process: pid_t?, user: uid_t)? {
        #if os(Linux)
            // The kernel's `struct ucred` (unix(7)); the C library hides it behind _GNU_SOURCE.
            var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
            var length = socklen_t(MemoryLayout.size(ofValue: credentials))
            return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0
                ? (credentials.process, credentials.user) : nil
        #else
            var (user, group) = (uid_t(0), gid_t(0))
            guard getpeereid(descriptor, &user, &group) == 0 else { return nil }
            var process = pid_t(0)
            var length = socklen_t(MemoryLayout<pid_t>.size)
            let isKnown = getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, &process, &length) == 0
            return (isKnown ? process : nil, user)
        #endif
    }

    /// Removes the timeout for reading.
    package func waitForever() { setTimeout(SO_RCVTIMEO, 0) }

    /// Ends the stream at both ends. Any thread may call this.
    package func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// Writes all of `bytes`. Returns false if the other end has closed the socket, or has read too little within the
    /// socket's timeout and the limit `time`.
    package func write(_ bytes: [UInt8], within time: PeerTime? = nil) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = bytes.baseAddress?.advanced(by: done)
                let count = waiting(within: time, SO_SNDTIMEO) {
                    send(descriptor, rest, bytes.count - done, CInt(Self.noSignal))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    /// Runs a call that waits for the other end, and counts its time in `time`, the rest of which is its timeout.
    fileprivate func waiting(within time: PeerTime?, _ option: CInt, _ call: () -> Int) -> Int {
        guard let time else { return call() }
        guard let left = time.secondsLeft else {
            errno = ETIMEDOUT
            return -1
        }
        setTimeout(option, left)
        var code = errno
        let count = time.count {
            defer { code = errno }
            return call()
        }
        errno = code
        return count
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

/// The lines that arrive on a socket. Only one thread may read them.
package struct IncomingLines: Sendable {
    private let socket: LineSocket
    private var buffer: [UInt8] = []
    /// The index in `buffer` of the first byte that was not returned.
    private var start = 0

    private let lineLimit: Int
    private var time: PeerTime?

    package init(_ socket: LineSocket, lineLimit: Int = LineSocket.lineLimit, within time: PeerTime? = nil) {
        self.socket = socket
        self.lineLimit = lineLimit
        self.time = time
    }

    /// Removes the limit on the time, and the socket's timeout for reading.
    package mutating func waitForever() {
        time = nil
        socket.waitForever()
    }

    /// Returns the next line without its line break; nil at the end, after an error, or if the line is too long.
    package mutating func next() -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                guard end - start <= lineLimit else { return nil }
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            buffer.removeSubrange(..<start)
            start = 0
            searched = buffer.count
            guard buffer.count <= lineLimit, fill() else { return nil }
        }
    }

    private mutating func fill() -> Bool {
        let capacity = 65_536
        while true {
            var result = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: capacity) { bytes, count in
                result = socket.waiting(within: time, SO_RCVTIMEO) {
                    read(socket.descriptor, bytes.baseAddress, capacity)
                }
                count = max(0, result)
            }
            if result < 0, errno == EINTR { continue }
            buffer += chunk
            return result > 0
        }
    }
}

/// A Unix domain socket that accepts connections from processes of this user.
package final class SocketListener: Sendable {
    private let path: LocalPath
    private let descriptor: CInt

    /// Makes a socket that only its owner can use, in place of a file at `path`.
    ///
    /// - Throws: `SystemCallError`, with `fileNameTooLong` if the path is too long (over 107 bytes on Linux).
    package init(_ path: LocalPath) throws(SystemCallError) {
        self.path = path
        descriptor = try SystemCallError.check("socket") { LocalAddress.openSocket() }
        try? path.remove()
        let descriptor = descriptor
        let bound = LocalAddress.with(path) { bind(descriptor, $0, $1) }
        guard let bound else {
            throw SystemCallError(call: "bind", name: path.text, code: .fileNameTooLong)
        }
        try SystemCallError.check("bind", path.text) { bound }
        try SystemCallError.check("chmod", path.text) { path.withCString { chmod($0, 0o600) } }
        try SystemCallError.check("listen", path.text) { listen(descriptor, 128) }
    }

    /// Closes the descriptor, which a thread in `next` must not find reused.
    deinit { close(descriptor) }

    /// Waits for the next connection, with a timeout in seconds; nil once the listener has stopped or has failed.
    package func next(timeout: Int) -> LineSocket? {
        while true {
            let connection = accept(descriptor, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                while DescriptorLimit.isLow { DetachedThread.sleep(for: .milliseconds(100)) }
                return LineSocket(connection, timeout: timeout)
            }
            if errno == EINTR || errno == ECONNABORTED { continue }
            // No descriptor or no memory is free. The process may release some soon.
            guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) else { return nil }
            DetachedThread.sleep(for: .milliseconds(100))
        }
    }

    package func stop() {
        shutdown(descriptor, CInt(SHUT_RDWR))
        try? path.remove()
    }
}

private enum LocalAddress {
    /// Calls `body` with the socket address for a path, unless the path is too long.
    static func with<Result>(
        _ path: LocalPath, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func openSocket() -> CInt {
        #if os(Linux)
            return socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return descriptor
        #endif
    }
}
