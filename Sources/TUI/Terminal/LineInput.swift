import FerryFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Lines from standard input. A thread reads them as long as the process lives, because a blocked read cannot be ended.
enum LineInput {
    enum Event: Sendable {
        case line(LineSplitter.Line)
        /// The input has ended. On a terminal, more may come later.
        case ended
        /// The terminal is gone.
        case hungUp
    }

    static var isTerminal: Bool { StandardStream.input.isTerminal }

    static func start(_ handle: @escaping @Sendable (Event) -> Void) {
        DetachedThread.start(name: "input") { read(handle) }
    }

    private static func read(_ handle: (Event) -> Void) {
        let isTerminal = isTerminal
        var splitter = LineSplitter()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            if poll(&input, 1, -1) < 0, errno == EINTR { continue }
            if isTerminal, input.revents & Int16(POLLHUP | POLLERR) != 0 { return handle(.hungUp) }
            guard isTerminal ? isInForeground : true else {
                // After `bg` a read would stop the process, and its uploads.
                usleep(250_000)
                continue
            }
            let count = StandardStream.input.readOnce(into: &buffer)
            if count < 0, [EINTR, EAGAIN].contains(errno) { continue }
            if count > 0 {
                for line in splitter.add(buffer.prefix(count)) { handle(.line(line)) }
                continue
            }
            if let last = splitter.finish() { handle(.line(last)) }
            guard isTerminal else { return handle(.ended) }
            handle(count == 0 ? .ended : .hungUp)
            if count < 0 { return }
        }
    }

    private static var isInForeground: Bool {
        let group = tcgetpgrp(STDIN_FILENO)
        return group == -1 || group == getpgrp()
    }
}
