import FerryFiles

/// The size of a terminal in cells, for output that is fitted to it.
struct TerminalSize: Equatable {
    var columns: Int
    var rows: Int

    /// The size of standard output; nil if that is no terminal.
    static var ofOutput: TerminalSize? {
        guard let size = StandardStream.output.terminalSize else { return nil }
        // A serial line does not know: as the VT100 had it.
        guard size.columns > 0 else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: size.columns, rows: size.rows > 0 ? size.rows : 24)
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
