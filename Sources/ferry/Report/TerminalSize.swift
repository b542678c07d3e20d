import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The size of a terminal in cells, for output that is fitted to it.
struct TerminalSize: Equatable {
    var columns: Int
    var rows: Int

    /// Of standard output; nil if that is no terminal.
    static var ofOutput: TerminalSize? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            // A serial line does not know: as the VT100 had it.
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// Whether lines can be taken back: terminals that cannot say so by their name.
    static var canRedraw: Bool { !["", "dumb", "unknown"].contains(variable("TERM") ?? "") }

    /// Whether colours are wanted (no-color.org).
    static var hasColour: Bool { (variable("NO_COLOR") ?? "").isEmpty }

    /// Whether other signs than ASCII can be shown, as locale(7) is set; the Linux console has few of them.
    static var isUnicode: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        return (name.contains("utf-8") || name.contains("utf8")) && variable("TERM") != "linux"
    }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name]
    }
}
