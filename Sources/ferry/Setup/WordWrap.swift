#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Breaks lines between words, where a terminal would break them anywhere.
enum WordWrap {
    /// - Parameter columns: Of the terminal; a word that is longer, such as an address, stays whole.
    /// - Returns: The line in parts, all but the first as far to the right as what it says begins.
    static func lines(_ line: String, columns: Int) -> [String] {
        guard line.count > columns else { return [line] }
        let start = start(of: line, columns: columns)
        let indent = String(repeating: " ", count: start)
        var lines: [String] = []
        var (current, isBare) = (String(line.prefix(start)), true)
        for word in line.dropFirst(start).split(separator: " ", omittingEmptySubsequences: false) {
            if !isBare, !word.isEmpty, current.count + 1 + word.count > columns {
                lines.append(String(current.reversed().drop { $0 == " " }.reversed()))
                (current, isBare) = (indent, true)
            }
            current += (isBare ? "" : " ") + word
            isBare = false
        }
        return lines + [current]
    }

    /// Behind a label with blanks after it, unless that leaves too little room, else behind the blanks at the start.
    private static func start(of line: String, columns: Int) -> Int {
        if let label = line.prefixMatch(of: /\ *\S+ {2,}/)?.output, label.count <= columns / 2 {
            return label.count
        }
        return line.prefix { $0 == " " }.count
    }

    /// Of the terminal that standard output is; nil if it is none.
    static var terminalColumns: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
