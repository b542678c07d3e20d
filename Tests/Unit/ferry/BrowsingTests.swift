import FerryTUI
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests which folder the Add dialog lists for a typed line, and the name that it shows.
@Suite struct BrowsingTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        for name in ["day/a.mov", "day/sub/b.mov", "with space/c", "[2024] film/d"] {
            _ = try folder.write([1], to: name)
        }
    }

    @Test(arguments: [
        ("", ""), ("day/", "day"), ("day//./", "day"), ("day/../day/sub/", "day/sub"), ("day/*/x.mov", "day"),
        ("'with space/", "with space"), ("'with space/c'", "with space"), ("with\\ space/c", "with space"),
        ("[2024] film/", "[2024] film"), ("day/a.mov day/sub/b.mov", "day/sub"),
    ])
    func `a line leads to the folder it names, else to that which what it names is in`(
        line: String, name: String
    ) {
        let isQuoted = line.first == "'"
        let line = line.replacing("day/sub/b", with: "\(folder.path)/day/sub/b")
        let text = (isQuoted ? "'" : "") + folder.path + "/" + line.drop { $0 == "'" }
        let listed = ScreenAdding.list(.line(text))
        #expect(listed.path.text == folder.path + (name.isEmpty ? "" : "/" + name))
        #expect(listed.text == listed.path.text + "/")
    }

    @Test func `an address leads to its folder`() {
        let listed = ScreenAdding.list(.line("file://\(folder.path)/with%20space/c"))
        #expect(listed.path.text == folder.path("with space"))
    }

    @Test func `home is written as it is typed`() {
        let home = ScreenAdding.list(.line("~/"))
        #expect(home.text == "~/")
        #expect(home.path.text == LocalFiles.home)
    }

    @Test func `an empty line leads to the working folder, and the root to itself`() {
        #expect(ScreenAdding.list(.line("")).path.text == FileManager.default.currentDirectoryPath)
        #expect(ScreenAdding.list(.line("/")).path.bytes == [0x2F])
        #expect(ScreenAdding.list(.line("/")).text == "/")
    }

    @Test(arguments: [[0xFF], [0x61, 0x0A], [0x1B, 0x61]] as [[UInt8]])
    func `a name that no line can hold is not offered as one`(name: [UInt8]) {
        let path = LocalPath(folder.path).appending(name)
        #expect(path.withCString { mkdir($0, 0o700) } == 0)
        defer { _ = path.withCString { rmdir($0) } }
        let listed = ScreenAdding.list(.folder(path))
        #expect(listed.text == nil)
        #expect(listed.contents == .entries([]))
    }

    @Test func `a marked file is found by its bytes, beside the typed pattern`() throws {
        let path = LocalPath(folder.path).appending([0x20, 0xFF, 0x27])
        let file = path.withCString { open($0, O_CREAT | O_WRONLY, 0o600) }
        #expect(file >= 0)
        close(file)
        defer { _ = path.withCString { unlink($0) } }
        let found = ScreenAdding.find(AddRequest(text: folder.path("day/*.mov"), marked: [path]))
        #expect(found.files.map(\.path.lastComponent) == [path.lastComponent, Array("a.mov".utf8)])
    }

    @Test(arguments: 0..<4) func `whatever is typed, looking for its folder never stops the program`(
        seed: UInt64
    ) {
        let fragments = [
            "/", "//", "~", ".", "..", "a", " ", "'", "\"", "\\", "*", "[", "file://", "%2", "\u{0}", "\u{7}",
            "\u{301}", "\u{202E}", "\u{FFFD}", "報", "\n",
        ]
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let line = (0..<Int.random(in: 0...8, using: &dice)).compactMap { _ in
                fragments.randomElement(using: &dice)
            }.joined()
            #expect(ScreenAdding.list(.line(line)).path.bytes.first == 0x2F)
        }
    }
}
