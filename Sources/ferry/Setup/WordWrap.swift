import FerryFiles

/// Breaks long lines between words. A terminal would break them inside words.
enum WordWrap {
    /// Splits a line between words into lines of at most `columns` characters.
    ///
    /// - Parameter columns: The width of the terminal. A longer word, such as a URL, is not broken.
    /// - Returns: The new lines. All lines after the first are indented to the column in which the text of the first
    ///   begins.
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

    /// Returns the number of columns by which all lines after the first are indented. If the line begins with a label,
    /// this is the width of the label. A label is a word and at least two spaces, in at most half the columns. Without
    /// a label, this is the indentation of the line.
    private static func start(of line: String, columns: Int) -> Int {
        if let label = line.prefixMatch(of: /\ *\S+ {2,}/)?.output, label.count <= columns / 2 {
            return label.count
        }
        return line.prefix { $0 == " " }.count
    }

    /// The width in columns of the terminal on standard output; nil if there is no terminal or the width is unknown.
    static var terminalColumns: Int? {
        let columns = StandardStream.output.terminalSize?.columns ?? 0
        return columns > 0 ? columns : nil
    }
}
