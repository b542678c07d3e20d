package import Foundation

/// The pages of `Sources/Manual` and the README, as text and as blocks of code.
package enum ManualPage {
    /// Returns the URL of a page.
    package static func file(_ name: String) -> URL {
        Repository.root.appending(path: "Sources/Manual/\(name).md")
    }

    package static func text(_ name: String) throws -> String {
        try String(contentsOf: file(name), encoding: .utf8)
    }

    /// Returns the text of config.example.json.
    package static func example() throws -> String {
        try String(contentsOf: Repository.root.appending(path: "config.example.json"), encoding: .utf8)
    }

    package static func readme() throws -> String {
        try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
    }

    /// Returns all pages with their names, including the README.
    package static func all() throws -> [(name: String, text: String)] {
        let folder = Repository.path("Sources/Manual")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        return try [("README.md", readme())] + names.sorted().map { ($0, try text(String($0.dropLast(3)))) }
    }

    /// Returns the blocks of code that begin with ```` ```language ````.
    package static func blocks(_ language: String, in text: String) -> [String] {
        var blocks: [String] = []
        var open: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```" + language {
                open = []
            } else if line == "```", let lines = open {
                blocks.append(lines.joined(separator: "\n"))
                open = nil
            } else {
                open?.append(line)
            }
        }
        return blocks
    }
}
