#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A standard stream of this process.
package enum StandardStream: CInt, Sendable {
    case input, output, errors

    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// The size of the terminal in character cells; nil if the stream is not a terminal. Both numbers are 0 if the size
    /// is unknown.
    package var terminalSize: (columns: Int, rows: Int)? {
        guard isTerminal else { return nil }
        var size = winsize()
        guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 else { return (0, 0) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes all of `text` without buffering. Ignores errors, for example if the reader has closed the stream.
    package func write(_ text: String) { try? write(Array(text.utf8)) }

    /// Writes all of `bytes` without buffering.
    package func write(_ bytes: [UInt8]) throws(SystemCallError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try SystemCallError.check("write") {
                rest.withUnsafeBytes { systemWrite(rawValue, $0) }
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for the next bytes, and reads at most `limit` of them. The result is empty at the end of the stream.
    package func read(upTo limit: Int) throws(SystemCallError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try SystemCallError.check("read") { systemRead(rawValue, &bytes, limit) }
        return Array(bytes.prefix(count))
    }

    /// Calls `read(2)` once.
    ///
    /// - Returns: The number of bytes read; 0 at the end of the stream. nil if a signal interrupted the call, or if
    ///   there are no bytes yet.
    package func readOnce(into buffer: inout [UInt8]) throws(SystemCallError) -> Int? {
        let count = systemRead(rawValue, &buffer, buffer.count)
        guard count < 0 else { return count }
        if [.interrupted, .resourceTemporarilyUnavailable].contains(Errno.last) { return nil }
        throw SystemCallError("read")
    }

    /// Waits until the stream has bytes, has ended, or has an error.
    ///
    /// - Returns: False if the terminal or the other end of a pipe has hung up, or if the stream has an error.
    package func waitForBytes() -> Bool {
        while true {
            var entry = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, -1) < 0, errno == EINTR { continue }
            return entry.revents & Int16(POLLHUP | POLLERR) == 0
        }
    }

    /// Redirects standard output and standard error to the end of the file at `path`, and standard input to
    /// `/dev/null`. Creates the file if it is missing. If the file cannot be opened, the output goes to `/dev/null`,
    /// too.
    package static func redirectAll(to path: LocalPath) {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        let file = path.withCString { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }
        dup2(nothing, input.rawValue)
        for stream in [output, errors] { dup2(file >= 0 ? file : nothing, stream.rawValue) }
        for opened in [nothing, file] where opened > errors.rawValue { close(opened) }
    }

    /// Reads the bytes that the user types, and passes them to `take` one by one. Ends when `take` returns false, at
    /// the end of the stream, or at an error.
    ///
    /// The terminal does not show the typed text, does not wait for the end of the line, and turns no key into a
    /// signal. So no key ends the process before the echo is switched on again.
    ///
    /// - Parameters:
    ///   - ask: Shows the question. It is called after the echo is switched off, so that bytes typed after the question
    ///     are neither shown nor dropped.
    ///   - take: Returns true to read another byte.
    /// - Returns: False if the stream is not a terminal, or if its modes cannot be changed. True in all other cases.
    package func readHidden(asking ask: () -> Void, _ take: (UInt8) -> Bool) -> Bool {
        var before = termios()
        guard tcgetattr(rawValue, &before) == 0 else { return false }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(rawValue, TCSAFLUSH, &hidden) == 0 else { return false }
        defer { tcsetattr(rawValue, TCSAFLUSH, &before) }
        ask()
        var byte: UInt8 = 0
        while true {
            let count = systemRead(rawValue, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, take(byte) else { return true }
        }
    }
}
