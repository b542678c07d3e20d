import CFerryTerminal
import FerryFiles

/// Controls the terminal from `init` until `close`. It is not Sendable, so that it stays on the thread that opened it.
final class TerminalSession {
    struct Events: OptionSet {
        let rawValue: Int32
        static let input = Events(rawValue: Int32(TERMINAL_INPUT))
        static let stray = Events(rawValue: Int32(TERMINAL_STRAY))
        static let hungUp = Events(rawValue: Int32(TERMINAL_HUNG_UP))
    }

    private var isOpen = true
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// Takes over the terminal; `direct` uses 24-bit colours. After a `ScreenError`, the terminal is unchanged.
    init(mouse: Bool, colour: Bool, direct: Bool) throws(ScreenError) {
        switch terminal_open(terminal_options(mouse: mouse, colour: colour, direct_colour: direct)) {
        case TERMINAL_OK: break
        case TERMINAL_NOT_A_TERMINAL: throw .notATerminal
        case TERMINAL_UNUSABLE: throw .unusableTerminal(Self.name)
        default: throw .system(SystemCallError("terminal").reason)
        }
    }

    deinit { close(gone: false) }

    /// Restores the terminal. One that is `gone` is not written to.
    func close(gone: Bool) {
        guard isOpen else { return }
        isOpen = false
        terminal_close(gone)
    }

    var colours: Int { Int(terminal_colours()) }

    var tier: Palette.Tier { Palette.Tier(colours: colours, areDirect: terminal_colours_are_direct()) }

    static var name: String { ProcessInfo.processInfo.environment["TERM"] ?? "" }

    /// True if the locale uses UTF-8. The Linux console has at most 512 glyphs.
    var isUnicode: Bool { terminal_locale_is_utf8() && Self.name != "linux" }

    /// The UTF-8 locale of the environment that this machine lacks, so that another is used.
    var missingLocale: String? { terminal_missing_locale().map { String(cString: $0) } }

    var locale: String { String(cString: terminal_locale()) }

    /// Draws `●` and requests the cursor's position, which arrives as input.
    func askWidth() { terminal_ask_width(Int32(WidthProbe.row)) }

    static func agrees(_ scalar: Unicode.Scalar, _ width: Int) -> Bool {
        Int(terminal_scalar_width(scalar.value)) == width
    }

    var size: Size {
        var (rows, columns): (Int32, Int32) = (0, 0)
        terminal_measure(&rows, &columns)
        return Size(rows: Int(rows), columns: Int(columns))
    }

    /// Waits for events. The result is empty if nothing happened in time, or if a signal interrupted the wait.
    /// - Parameter seconds: nil waits without a limit. A wait of more than an hour is shortened to an hour.
    func wait(seconds: Double?) -> Events { Events(rawValue: terminal_wait(Self.milliseconds(seconds))) }

    func waitInBackground(seconds: Double) { terminal_wait_in_background(Self.milliseconds(seconds)) }

    /// Returns the typed bytes, if any; nil if the terminal is gone.
    func read() -> [UInt8]? {
        let count = terminal_read(&buffer, buffer.count)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    /// Returns what other code in the process wrote to standard output or error.
    func readStray() -> [UInt8] { Array(buffer.prefix(max(0, terminal_read_stray(&buffer, buffer.count)))) }

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

    /// Copies text to the user's clipboard, also over ssh.
    func copy(_ text: String) { terminal_copy(Data(text.utf8).base64EncodedString()) }

    /// Sends BEL, or OSC 9 with a text without control characters.
    func notify(_ signal: TerminalNotification.Signal, _ text: String) {
        switch signal {
        case .none: break
        case .bell: terminal_bell()
        case .osc9: terminal_notify(text, Self.isInTmux)
        }
    }

    /// True inside tmux, which passes OSC 9 on only in a control sequence of its own.
    private static var isInTmux: Bool { !(ProcessInfo.processInfo.environment["TMUX"] ?? "").isEmpty }

    /// Restores the terminal and suspends the process. Returns false if it cannot be suspended; true once it continues,
    /// and also if a signal that ends the process arrived instead.
    func suspend(_ farewell: String) -> Bool { terminal_suspend(farewell + "\r\n") }

    func resume() { terminal_resume() }

    private static func milliseconds(_ seconds: Double?) -> Int32 {
        guard let seconds else { return -1 }
        return Int32(max(0, min(3_600_000, (seconds * 1000).rounded(.up))))
    }
}
