import FerryTestSupport
import Foundation

/// The documentation for users of the library, and the examples in it.
enum Document {
    /// A block of code with its location.
    struct Block {
        let place: String
        let code: String
    }

    private static let root = Repository.root

    /// `README.md`, the pages of the manual and the articles of all catalogs.
    static func pages() throws -> [(name: String, text: String)] {
        let sources = root.appending(path: "Sources")
        let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path(percentEncoded: false))
        let articles = names.filter { name in
            name.hasSuffix(".md") && (name.contains(".docc/") || name.hasPrefix("Manual/"))
        }.sorted()
        return try (["README.md"] + articles.map { "Sources/" + $0 }).map { name in
            (name, try String(contentsOf: root.appending(path: name), encoding: .utf8))
        }
    }

    /// The code between ```` ```swift ```` and ```` ``` ```` in all pages.
    static func blocks() throws -> [Block] {
        try pages().flatMap { page in
            var blocks: [Block] = []
            var open: (line: Int, code: [Substring])?
            for (index, line) in page.text.split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated()
            {
                switch (line, open) {
                case ("```swift", nil): open = (index + 1, [])
                case ("```", let block?):
                    blocks.append(Block(place: "\(page.name):\(block.line)", code: normal(block.code)))
                    open = nil
                default: open?.code.append(line)
                }
            }
            return blocks
        }
    }

    /// The code between `// Example: NAME` and `// end` in the files of `Examples`.
    static func examples() throws -> [Block] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Examples")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return try files.sorted().flatMap { file in
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            var examples: [Block] = []
            var open: (name: Substring, code: [Substring])?
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                let name = line.wholeMatch(of: /\/\/ Example: (.+)/)?.1
                if let name {
                    open = (name, [])
                } else if line == "// end", let example = open {
                    examples.append(Block(place: "\(file), \(example.name)", code: normal(example.code)))
                    open = nil
                } else {
                    open?.code.append(line)
                }
            }
            return examples
        }
    }

    /// Removes blanks at the ends of lines, and empty lines at both ends.
    private static func normal(_ lines: [Substring]) -> String {
        lines.map { $0.replacing(/\s+$/, with: "") }.joined(separator: "\n").trimmingCharacters(in: .newlines)
    }
}
