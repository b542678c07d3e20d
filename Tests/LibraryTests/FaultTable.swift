import FerryTestSupport
import Foundation

/// The rows of `Tests/FAULTS.md`, and the tests that prove them: a test proves a row if its name begins with the row's
/// number.
enum FaultTable {
    struct Row {
        let number: String
        let tests: [String]
        let figure: String
    }

    struct Test: Hashable {
        let row: String
        let name: String
    }

    private static let folder = Repository.root.appending(path: "Tests")

    static func rows() throws -> [Row] {
        let text = try String(contentsOf: folder.appending(path: "FAULTS.md"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, cells[1].wholeMatch(of: /[SFNPA][0-9]+/) != nil else { return nil }
            return Row(
                number: cells[1], tests: cells[3].matches(of: /`([^`]+)`/).map { String($0.output.1) },
                figure: cells[4])
        }
    }

    static func tests() throws -> Set<Test> {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        var tests: Set<Test> = []
        for name in names.sorted() where name.hasSuffix(".swift") && !name.contains(".build/") {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            for match in text.matches(of: /func `(([SFNPA][0-9]+) [^`]+)`/) {
                tests.insert(Test(row: String(match.output.2), name: String(match.output.1)))
            }
        }
        return tests
    }
}
