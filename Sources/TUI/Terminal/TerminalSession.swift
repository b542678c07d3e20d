import CFerryTerminal
import FerryFiles

/// Controls the terminal from `init` until `close`. The type is not Sendable, so that the terminal stays on the thread
/// that opened it.
final class TerminalSession {
    struct Events: OptionSet {
        let rawValue: Int32
        static let input = Events(rawValue: Int32(TERMINAL_INPUT))
        static let stray = Events(rawValue: Int32(TERMINAL_STRAY))
        static let hungUp = Events(rawValue: Int32(TERMINAL_HUNG_UP))
    }

    private var isOpen = true
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// Takes over the terminal.
    /// - Parameter direct: True to use 24-bit colours, if terminfo describes them for this terminal.
    /// - Throws: `ScreenError`. The terminal is then unchanged.
    init(mouse: Bool, colour: Bool, direct: Bool) throws(ScreenError) {
        switch terminal_open(terminal_options(mouse: mouse, colour: colour, direct_colour: direct)) {
        case TERMINAL_OK: break
        case TERMINAL_NOT_A_TERMINAL: throw .notATerminal
        case TERMINAL_UNUSABLE: throw .unusableTerminal(Self.name)
        default: throw .system(SystemCallError("terminal").reason)
        }
    }

    deinit { close(gone: false) }

    /// Restores the terminal. Does nothing if the session is already closed.
    /// - Parameter gone: True if the terminal has hung up and must not be written to.
    func close(gone: Bool) {
        guard isOpen else { return }
        isOpen = false
        terminal_close(gone)
    }

    var colours: Int { Int(terminal_colours()) }

    var tier: Palette.Tier { Palette.Tier(colours: colours, areDirect: terminal_colours_are_direct()) }

    static var name: String { ProcessInfo.processInfo.environment["TERM"] ?? "" }

    /// True if the locale uses UTF-8, and the terminal is not the Linux console, which has at most 512 glyphs.
    var isUnicode: Bool { terminal_locale_is_utf8() && Self.name != "linux" }

    /// The UTF-8 locale that the environment names but this machine lacks, if C.UTF-8 or en_US.UTF-8 is used instead;
    /// otherwise nil.
    var missingLocale: String? { terminal_missing_locale().map { String(cString: $0) } }

    /// The name of the locale for characters (LC_CTYPE): `missingLocale` if it is not nil, otherwise the name from
    /// setlocale(3).
    var locale: String { String(cString: terminal_locale()) }

    /// Draws `●` and requests the cursor's position, which shows the width of that symbol. The terminal's response
    /// arrives as input.
    func askWidth() { terminal_ask_width(Int32(WidthProbe.row)) }

    static func agrees(_ scalar: Unicode.Scalar, _ width: Int) -> Bool {
        Int(terminal_scalar_width(scalar.value)) == width
    }

    var size: Size {
        var (rows, columns): (Int32, Int32) = (0, 0)
        terminal_measure(&rows, &columns)
        return Size(rows: Int(rows), columns: Int(columns))
    }

    /// Waits for events, and returns those that happened. The result is empty if no event happened in time, or if a
    /// signal interrupted the wait.
    /// - Parameter seconds: The longest wait; nil waits without a limit. A wait of more than an hour is shortened to an
    ///   hour.
    func wait(seconds: Double?) -> Events {
        Events(rawValue: terminal_wait(Self.milliseconds(seconds)))
    }

    func waitInBackground(seconds: Double) {
        terminal_wait_in_background(Self.milliseconds(seconds))
    }

    /// Returns the typed bytes: an empty array if there are none now; nil if the terminal is gone.
    func read() -> [UInt8]? {
        let count = terminal_read(&buffer, buffer.count)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    /// Returns the bytes that other code in the process has written to standard output or error since the last call.
    func readStray() -> [UInt8] {
        Array(buffer.prefix(max(0, terminal_read_stray(&buffer, buffer.count))))
    }

    /// Returns the signals that have arrived since the last call.
    func signals() -> [Int32] {
        var signals: [Int32] = []
        while case let next = terminal_next_signal(), next >= 0 {
            if next > 0 { signals.append(next) }
        }
        return signals
    }

    var isWritable: Bool { terminal_writable() }

    var isInForeground: Bool { terminal_in_foreground() }

    func setMouse(_ on: Bool) { terminal_set_mouse(on) }

    /// Copies text to the clipboard of the user's terminal, also over ssh.
    func copy(_ text: String) { terminal_copy(Data(text.utf8).base64EncodedString()) }

    /// Sends a notification to the user's terminal: nothing, BEL, or OSC 9 with the text.
    /// - Parameter text: The text, without control characters.
    func notify(_ signal: TerminalNotification.Signal, _ text: String) {
        switch signal {
        case .none: break
        case .bell: terminal_bell()
        case .osc9: terminal_notify(text, Self.isInTmux)
        }
    }

    /// True inside tmux. Ferry then wraps OSC 9 in a control sequence of tmux, so that tmux passes it on to the
    /// terminal.
    private static var isInTmux: Bool {
        !(ProcessInfo.processInfo.environment["TMUX"] ?? "").isEmpty
    }

    /// Restores the terminal, prints the sentence `farewell`, and suspends the process.
    /// - Returns: True if the process was suspended and now continues. Also true if a signal that ends the process
    ///   arrived instead. False if the process cannot be suspended.
    func suspend(_ farewell: String) -> Bool { terminal_suspend(farewell + "\r\n") }

    func resume() { terminal_resume() }

    private static func milliseconds(_ seconds: Double?) -> Int32 {
        guard let seconds else { return -1 }
        return Int32(max(0, min(3_600_000, (seconds * 1000).rounded(.up))))
    }
}
