import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A standard stream of this process.
package enum StandardStream: CInt, Sendable {
    case input, output, errors

    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// The size of the terminal in character cells, 0 if unknown; nil if the stream is none.
    package var terminalSize: (columns: Int, rows: Int)? {
        guard isTerminal else { return nil }
        var size = winsize()
        guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 else { return (0, 0) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes all of `text` without buffering, and ignores errors.
    package func write(_ text: String) { try? write(Array(text.utf8)) }

    package func write(_ bytes: [UInt8]) throws(SystemCallError) {
        Self.log.withLock { $0?.makeRoom() }
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                let count = try SystemCallError.check("write") {
                    rest.withUnsafeBytes { systemWrite(rawValue, $0) }
                }
                rest = rest.dropFirst(count)
            }
        } catch {
            if self == .output { Self.outputFailure.withLock { $0 = error } }
            throw error
        }
    }

    /// Opens `/dev/null` for each standard stream that this process was started without, whose number the next file or
    /// socket would get.
    package static func openClosed() {
        for stream in [input, output, errors] where fcntl(stream.rawValue, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    private static let outputFailure = Mutex<SystemCallError?>(nil)

    /// Writes what `print` has buffered.
    ///
    /// - Throws: The error because of which not all of standard output was written, for example on a full disk, unless
    ///   a reader has closed it.
    package static func finishOutput() throws(SystemCallError) {
        let flushed: SystemCallError? = fflush(nil) == 0 ? nil : SystemCallError("write")
        guard let failure = flushed ?? outputFailure.withLock({ $0 }), failure.code != .brokenPipe else {
            return
        }
        throw failure
    }

    /// Waits for the next bytes; none at the end of the stream.
    package func read(upTo limit: Int) throws(SystemCallError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try SystemCallError.check("read") { systemRead(rawValue, &bytes, limit) }
        return Array(bytes.prefix(count))
    }

    /// Calls `read(2)` once. Returns nil after a signal, or if there are no bytes yet.
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

    /// The log that streams of this process are redirected to; nil without such a log.
    private static let log = Mutex<LogFile?>(nil)

    /// True if a stream of this process is redirected to a log.
    package static var hasLog: Bool { log.withLock { $0 != nil } }

    /// Redirects standard output and standard error to a log at `path`, and standard input to `/dev/null`. If the log
    /// cannot be opened, the output goes to `/dev/null`, too.
    package static func redirectAll(to path: LocalPath) {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        for stream in [input, output, errors] { dup2(nothing, stream.rawValue) }
        if nothing > errors.rawValue { close(nothing) }
        log.withLock { $0 = LogFile(path, streams: [output, errors]) }
        // What a closed terminal did not take is no lost output.
        outputFailure.withLock { $0 = nil }
    }

    /// Limits the size of the file at `path` if it is standard error.
    package static func limitErrors(at path: LocalPath) {
        guard let file = FileStatus.of(path, follows: false),
            (try? FileDescriptor(rawValue: errors.rawValue).status())?.isSame(as: file) == true
        else { return }
        log.withLock { $0 = LogFile(path, streams: [errors]) }
    }

    /// Passes the bytes that the user types to `take`, until it returns false, or to the end of the stream.
    ///
    /// The terminal shows nothing, waits for no end of a line, and turns no key into a signal, so that no key ends the
    /// process before the echo is switched on again.
    ///
    /// - Returns: False if the stream is not a terminal, or if its modes cannot be changed.
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

/// Shows a long text on a terminal through `PAGER`, less or cat. Elsewhere, and without these programs, prints it.
package enum Pager {
    private static let fallback = "if command -v less >/dev/null; then exec less; else exec cat; fi"

    package static func show(_ text: String) {
        guard StandardStream.output.isTerminal else { return StandardStream.output.write(text) }
        let chosen = ProcessInfo.processInfo.environment["PAGER"] ?? ""
        // `less` exits at once if the text fits the screen. A `LESS` that the user has set stays.
        setenv("LESS", "FRX", 0)
        // If the user leaves the pager early, writing to it must not end this process.
        signal(SIGPIPE, SIG_IGN)
        guard let pipe = popen(chosen.isEmpty ? fallback : chosen, "w") else {
            return StandardStream.output.write(text)
        }
        fputs(text, pipe)
        pclose(pipe)
    }
}
