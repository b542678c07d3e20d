import FerryFiles

/// The size of a terminal, in cells.
struct TerminalSize: Equatable {
    var columns: Int
    var rows: Int

    /// The size of the terminal on standard output; nil without a terminal.
    static var ofOutput: TerminalSize? {
        guard let size = StandardStream.output.terminalSize else { return nil }
        // A serial line reports no size. The size of a VT100 is assumed.
        guard size.columns > 0 else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: size.columns, rows: size.rows > 0 ? size.rows : 24)
    }

    /// Whether lines can be erased. Terminals with these names cannot do that.
    static var canRedraw: Bool { !["", "dumb", "unknown"].contains(variable("TERM") ?? "") }

    /// Whether the user wants colours (no-color.org).
    static var hasColour: Bool { (variable("NO_COLOR") ?? "").isEmpty }

    /// Whether the locale allows characters beyond ASCII (locale(7)). The Linux console has glyphs for only few of
    /// them.
    static var isUnicode: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        return (name.contains("utf-8") || name.contains("utf8")) && variable("TERM") != "linux"
    }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name]
    }
}
