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
        /// Empty for a limit of a dependency.
        let constants: [Constant]
        let tests: [String]
        /// False if the row says why no test holds the limit.
        let isHeld: Bool

        /// The number of numbers in the limit. Names of settings are no numbers.
        var numbers: Int { limit.replacing(/`[^`]*`/, with: "").matches(of: /[0-9][0-9,]*/).count }
    }

    /// A file under `Sources`, and a text in it: an assignment, or another part of a line.
    struct Constant: Hashable {
        let file: String
        let text: String

        /// The name that the text assigns a value to.
        var name: String? {
            text.firstMatch(of: /(\w+)(?:: \w+)? =/).map { String($0.output.1) }
        }

        /// True if the source contains the text, and the value does not continue: `limit = 30` is not in
        /// `limit = 300`, `limit = 30 * 60` or `otherlimit = 30`.
        func isIn(_ source: String) -> Bool {
            source.ranges(of: text).contains { range in
                let isContinued = source[range.upperBound...].prefixMatch(of: /\w|\.[0-9]| [*+<]/) != nil
                return !isContinued && source[..<range.lowerBound].last?.isLetter != true
            }
        }
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
            Bound(
                what: cells[0], limit: cells[1], constants: constants(cells[2]), tests: quoted(cells[3]),
                isHeld: !cells[3].hasPrefix("not held: "))
        }
    }

    /// Constants of `Sources` that are named as limits and are no bounds.
    static func exceptions() throws -> [Constant] {
        try lines(of: tests.appending(path: "THREATS.md"), columns: 2).flatMap { constants($0[0]) }
    }

    /// Each file in a cell is followed by its texts.
    private static func constants(_ cell: String) -> [Constant] {
        var file = ""
        return quoted(cell).compactMap { word in
            guard word.hasSuffix(".swift") else { return Constant(file: file, text: word) }
            file = word
            return nil
        }
    }

    /// The constants of `Sources` with the value of a number or a time, and a name that says how much or how long.
    static func limits() throws -> [Constant] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path(percentEncoded: false))
        return try files.filter { $0.hasSuffix(".swift") }.flatMap { file in
            try String(contentsOf: sources.appending(path: file), encoding: .utf8).matches(
                of:
                    /static (?:let|var) (\w*(?:[lL]imit|[mM]ost|[lL]ongest|[tT]imeout|[cC]apacity)\w*)(?:: \w+)? = ([0-9]|\w*\.(?:milli)?seconds)/
            ).map { Constant(file: file, text: "\($0.output.1) = \($0.output.2)") }
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
