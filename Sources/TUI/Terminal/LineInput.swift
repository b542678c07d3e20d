import Foundation

/// Lines from standard input, on a thread of its own for as long as the process lives: nothing ends a read that waits.
enum LineInput {
    enum Event: Sendable {
        case line(LineSplitter.Line)
        /// At a terminal more may come.
        case ended
        /// The terminal has gone.
        case hungUp
    }

    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    static func start(_ handle: @escaping @Sendable (Event) -> Void) {
        let thread = Thread { read(handle) }
        thread.name = "input"
        thread.start()
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
            let count = Foundation.read(STDIN_FILENO, &buffer, buffer.count)
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
