import Foundation

/// The rows of `Tests/THREATS.md`: threats with their tests, and limits with the constants that set them.
enum ThreatTable {
    struct Row {
        let number: String
        let tests: [String]
        let figure: String
    }

    struct Bound {
        let what: String
        let limit: String
        /// The file under `Sources` with the constant, and the constant's text; nil for a limit of a dependency.
        let constant: (file: String, text: String)?
        let tests: [String]
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
    static let sources = tests.deletingLastPathComponent().appending(path: "Sources")

    /// Returns the cells of each line of a table with this number of columns, without the head of the table.
    static func lines(of file: URL, columns: Int) throws -> [[String]] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == columns + 2, !cells[1].hasPrefix("---") else { return nil }
            return Array(cells[1...columns])
        }
    }

    private static func quoted(_ cell: String) -> [String] {
        cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
    }

    static func rows() throws -> [Row] {
        try lines(of: tests.appending(path: "THREATS.md"), columns: 4).filter {
            $0[0].wholeMatch(of: /X[0-9]+/) != nil
        }.map { Row(number: $0[0], tests: quoted($0[2]), figure: $0[3]) }
    }

    static func bounds() throws -> [Bound] {
        try lines(of: tests.appending(path: "THREATS.md"), columns: 4).filter {
            $0[0].wholeMatch(of: /X[0-9]+|row|what/) == nil
        }.map { cells in
            let words = quoted(cells[2])
            return Bound(
                what: cells[0], limit: cells[1], constant: words.count == 2 ? (words[0], words[1]) : nil,
                tests: quoted(cells[3]))
        }
    }

    /// The names of all tests.
    static func names() throws -> Set<String> {
        let files = try FileManager.default.subpathsOfDirectory(atPath: tests.path(percentEncoded: false))
        var names: Set<String> = []
        for file in files where file.hasSuffix(".swift") && !file.contains(".build/") {
            let text = try String(contentsOf: tests.appending(path: file), encoding: .utf8)
            names.formUnion(text.matches(of: /func `([^`]+)`/).map { String($0.output.1) })
        }
        return names
    }
}
