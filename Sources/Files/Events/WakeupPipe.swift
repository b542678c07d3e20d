#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A pipe that wakes a thread that waits in `poll(2)`.
package final class WakeupPipe: Sendable {
    private let near: CInt
    private let far: CInt

    /// The reason why a wait ended; neither if the time is over or a signal arrived.
    package struct Wakeup {
        package var isRung: Bool
        /// True if `other` is readable, has reached its end, or has an error.
        package var isReadable: Bool
    }

    /// - Throws: `SystemCallError` if no descriptor is free.
    package init() throws(SystemCallError) {
        (near, far) = try openPipe()
        for end in [near, far] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        close(near)
        close(far)
    }

    package func ring() {
        var byte: UInt8 = 1
        // If the pipe is full, writing fails, but the pipe wakes the thread anyway.
        _ = write(far, &byte, 1)
    }

    /// Waits until `ring` has been called, `other` is readable, the time is over, or a signal arrives.
    package func wait(for other: CInt?, upTo limit: Duration? = nil) throws(SystemCallError) -> Wakeup {
        var waiting = [
            pollfd(fd: near, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        // Rounded up, because the caller would have to wait again after waking a moment too early.
        let milliseconds = limit.map { CInt(clamping: Int64(max(0, $0 / .milliseconds(1)).rounded(.up))) }
        guard poll(&waiting, nfds_t(waiting.count), milliseconds ?? -1) >= 0 else {
            if errno == EINTR { return Wakeup(isRung: false, isReadable: false) }
            throw SystemCallError("poll")
        }
        if waiting[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(near, &bytes, bytes.count) == bytes.count {}
        }
        return Wakeup(isRung: waiting[0].revents != 0, isReadable: waiting[1].revents != 0)
    }
}

func openPipe() throws(SystemCallError) -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemCallError("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}
