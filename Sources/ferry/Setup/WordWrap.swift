import FerryFiles

/// Breaks long lines between words. A terminal would break them inside words.
enum WordWrap {
    /// - Parameter columns: The width of the terminal. A word that is longer, such as a URL, is not broken.
    /// - Returns: The parts of the line. All parts after the first have the indent of the line's text.
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

    /// Returns the indent of the parts after the first: behind the label of the line if enough columns remain,
    /// otherwise the line's own indent.
    private static func start(of line: String, columns: Int) -> Int {
        if let label = line.prefixMatch(of: /\ *\S+ {2,}/)?.output, label.count <= columns / 2 {
            return label.count
        }
        return line.prefix { $0 == " " }.count
    }

    /// The width of the terminal on standard output; nil without one.
    static var terminalColumns: Int? {
        let columns = StandardStream.output.terminalSize?.columns ?? 0
        return columns > 0 ? columns : nil
    }
}
