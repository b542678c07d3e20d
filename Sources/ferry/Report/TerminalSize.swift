import FerryFiles

/// The size in character cells and the abilities of the terminal on standard output.
enum TerminalSize {
    /// The size of the terminal on standard output; nil without a terminal.
    static var ofOutput: (columns: Int, rows: Int)? {
        guard let size = StandardStream.output.terminalSize else { return nil }
        // A serial line reports no size. The size of a VT100 is assumed.
        return size.columns > 0 ? (size.columns, size.rows > 0 ? size.rows : 24) : (80, 24)
    }

    /// True if the terminal can erase lines. False if the variable `TERM` is missing, empty, `dumb` or `unknown`.
    static var canRedraw: Bool { !["", "dumb", "unknown"].contains(variable("TERM") ?? "") }

    /// True if the variable `NO_COLOR` is missing or empty, so that the output can contain colours (no-color.org).
    static var hasColour: Bool { (variable("NO_COLOR") ?? "").isEmpty }

    /// True if the locale uses UTF-8 (locale(7)). False on the Linux console, which has too few glyphs.
    static var isUnicode: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        return (name.contains("utf-8") || name.contains("utf8")) && variable("TERM") != "linux"
    }

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
