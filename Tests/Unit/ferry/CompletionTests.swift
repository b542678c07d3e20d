import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// Tests the completion of a typed path with Tab.
@Suite struct CompletionTests {
    @Test func `a path is completed by what is in its folder, and folders end with a slash`() throws {
        let folder = try TemporaryDirectory()
        for name in ["beach.jpg", "bridge.jpg", ".hidden"] {
            try Data().write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/boats", withIntermediateDirectories: false)
        let all = ["beach.jpg", "boats/", "bridge.jpg"].map { "\(folder.path)/\($0)" }
        #expect(ScreenAdding.completions("\(folder.path)/") == all)
        #expect(ScreenAdding.completions("\(folder.path)/br") == [all[2]])
        #expect(ScreenAdding.completions("\(folder.path)/.h") == ["\(folder.path)/.hidden"])
        #expect(ScreenAdding.completions("\(folder.path)/none") == [])
    }

    @Test(arguments: [
        "a//\u{202E}", "a//\u{200B}", "/\u{301}", "a/\u{301}/\u{301}", "\u{301}/", "~", "~/\u{301}",
    ])
    func `signs that join with a slash complete to nothing`(line: String) {
        #expect(ScreenAdding.completions(line) == [])
    }

    @Test(arguments: 0..<4) func `whatever is typed, looking for it never stops the program`(seed: UInt64) {
        let fragments = [
            "/", "//", "~", ".", "..", "a", " ", "\t", "'", "\"", "\\", "*", "[", "{", "%", "%2", "file://",
            "\u{0}",
            "\u{7}", "\u{301}", "\u{202E}", "\u{200B}", "\u{FFFD}", "報", "👩‍👩‍👧", "\u{1F1E9}", "\n",
        ]
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let line = (0..<Int.random(in: 0...8, using: &dice)).compactMap { _ in
                fragments.randomElement(using: &dice)
            }.joined()
            for completion in ScreenAdding.completions(line) {
                #expect(
                    completion.utf8.starts(with: line.utf8.prefix { $0 != 0x2F }), "\(line.debugDescription)")
            }
            _ = PathList.paths(in: line)
        }
    }
}
