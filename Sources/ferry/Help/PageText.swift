import FerryFiles

/// Converts a page of Markdown to plain text for a terminal, as far as the manual uses Markdown. A table of two columns
/// becomes a list with labels. In a wider table, each cell after the first becomes a line with the title of its column.
struct PageText {
    let columns: Int

    func text(of markdown: String) -> String {
        let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false)
        var output: [String] = []
        var index = lines.startIndex
        while index < lines.endIndex {
            let line = lines[index]
            var block: [Substring] = []
            if line.hasPrefix("```") {
                block = Array(lines[(index + 1)...].prefix { $0 != "```" })
                output += block.map { $0.isEmpty ? "" : "    " + $0 }
                index += block.count + 2
                continue
            }
            if line.hasPrefix("|") {
                block = Array(lines[index...].prefix { $0.hasPrefix("|") })
                output += table(block.map(Self.cells))
            } else if line.hasPrefix("#") {
                block = [line]
                output.append(Self.plain(line.drop { $0 == "#" || $0 == " " }).uppercased())
            } else if line.hasPrefix("- ") {
                block = [line] + lines[(index + 1)...].prefix { $0.hasPrefix("  ") }
                output += wrapped(block, first: "- ", rest: "  ")
            } else if line.isEmpty {
                block = [line]
                output.append("")
            } else {
                block = Array(lines[index...].prefix { !$0.isEmpty && !Self.opensBlock($0) })
                output += wrapped(block, first: "", rest: "")
            }
            index += block.count
        }
        return output.joined(separator: "\n")
    }

    private static func opensBlock(_ line: Substring) -> Bool {
        ["```", "|", "#", "- "].contains { line.hasPrefix($0) }
    }

    private static func cells(_ row: Substring) -> [String] {
        // Inside a cell, Markdown escapes a bar with a backslash.
        let marked = row.replacing("\\|", with: "\u{1}").dropFirst()
        let parts = marked.split(separator: "|", omittingEmptySubsequences: false).dropLast()
        return parts.map { part in
            plain(part).replacing("\u{1}", with: "|").trimmed()
        }
    }

    private func table(_ rows: [[String]]) -> [String] {
        guard let titles = rows.first else { return [] }
        let body = rows.dropFirst(2)
        guard titles.count == 2 else {
            return body.flatMap { row in
                let cells = zip(titles, row).dropFirst().filter { !$1.isEmpty }
                return [row[0]] + cells.flatMap { wrapped(["\($0): \($1)"], first: "    ", rest: "      ") }
            }
        }
        let width = min(body.map { $0[0].count }.max() ?? 0, columns / 3) + 2
        return body.flatMap { row in
            let label = row[0].count < width ? UploadText.padded(row[0], width) : row[0] + "  "
            return wrapped([row[1][...]], first: label, rest: String(repeating: " ", count: width))
        }
    }

    private func wrapped(_ lines: [Substring], first: String, rest: String) -> [String] {
        let words = Self.plain(lines.joined(separator: " ")[...]).split(separator: " ")
        return WordWrap.lines(
            of: words.drop { first == "- " && $0 == "-" }, first: first, rest: rest, columns: columns)
    }

    /// Replaces each Markdown link by its text.
    private static func plain(_ text: Substring) -> String {
        String(text).replacing(/\[([^\]]+)\]\([^)]+\)/) { String($0.output.1) }
    }
}
