import FerryFiles

/// Breaks long lines between words. A terminal would break them inside words.
enum WordWrap {
    /// Splits a line between words, with a hanging indent. A word longer than `columns` is not broken.
    static func lines(_ line: String, columns: Int) -> [String] {
        guard line.count > columns else { return [line] }
        let start = start(of: line, columns: columns)
        let words = line.dropFirst(start).split(separator: " ", omittingEmptySubsequences: false)
        return lines(
            of: words, first: String(line.prefix(start)), rest: String(repeating: " ", count: start),
            columns: columns)
    }

    /// Joins words to lines of at most `columns` characters. The first begins with `first`, all others with `rest`.
    static func lines(
        of words: some Sequence<Substring>, first: String, rest: String, columns: Int
    ) -> [String] {
        var lines: [String] = []
        var (current, isBare) = (first, true)
        for word in words {
            if !isBare, !word.isEmpty, current.count + 1 + word.count > columns {
                lines.append(String(current.reversed().drop { $0 == " " }.reversed()))
                (current, isBare) = (rest, true)
            }
            current += (isBare ? "" : " ") + word
            isBare = false
        }
        return lines + [current]
    }

    /// Returns the width of the label at the beginning of the line: a word and at least two spaces, in at most half the
    /// columns. Without a label, returns the indentation.
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
