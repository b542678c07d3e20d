#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Wakes a thread that waits in the kernel: a pipe with a byte in it.
package final class WatchAlarm: Sendable {
    private let near: CInt
    private let far: CInt

    /// - Throws: `SystemCallError` if there is no descriptor left.
    package init() throws(SystemCallError) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemCallError(call: "pipe", name: "", code: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (near, far) = (ends[0], ends[1])
    }

    deinit {
        close(near)
        close(far)
    }

    package func ring() {
        var byte: UInt8 = 1
        // Full is rung often enough.
        _ = write(far, &byte, 1)
    }

    /// Waits until it has rung, `other` can be read, or the time is over.
    ///
    /// - Returns: Whether `other` can be read.
    func waits(for other: CInt?, upTo limit: Duration?) -> Bool {
        var waiting = [
            pollfd(fd: near, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        // Rounded up: a moment too early would be a round in vain.
        let milliseconds = limit.map { CInt(clamping: Int64(max(0, $0 / .milliseconds(1)).rounded(.up))) }
        guard poll(&waiting, nfds_t(waiting.count), milliseconds ?? -1) > 0 else { return false }
        if waiting[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(near, &bytes, bytes.count) == bytes.count {}
        }
        return waiting[1].revents != 0
    }
}
