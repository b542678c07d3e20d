import FerryFiles

/// The size of a terminal in cells, for output that must fit.
struct TerminalSize: Equatable {
    var columns: Int
    var rows: Int

    /// The size of standard output; nil without a terminal.
    static var ofOutput: TerminalSize? {
        guard let size = StandardStream.output.terminalSize else { return nil }
        // A serial line reports no size: then it is that of the VT100.
        guard size.columns > 0 else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: size.columns, rows: size.rows > 0 ? size.rows : 24)
    }

    /// Whether lines can be erased, which terminals with these names cannot.
    static var canRedraw: Bool { !["", "dumb", "unknown"].contains(variable("TERM") ?? "") }

    /// Whether colours are wanted (no-color.org).
    static var hasColour: Bool { (variable("NO_COLOR") ?? "").isEmpty }

    /// Whether characters beyond ASCII can be shown, by locale(7); the Linux console has few of them.
    static var isUnicode: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        return (name.contains("utf-8") || name.contains("utf8")) && variable("TERM") != "linux"
    }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name]
    }
}
