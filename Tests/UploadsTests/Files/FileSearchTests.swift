import Foundation
import Support
import Testing
import Transfer
import UploadProtocols

@testable import Uploads

struct FileSearchTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func find(_ names: String..., recursive: Bool = false) -> FileSelection {
        FileSearch(isRecursive: recursive).find(names.map { LocalPath(folder.path($0)) })
    }

    private func make(_ names: String...) throws {
        for name in names { _ = try folder.write([1], to: name) }
    }

    @Test func `a file is found with its size`() throws {
        try make("a.bin")
        #expect(find("a.bin").files.map(\.identity.size) == [1])
    }

    @Test func `a missing file is a problem that says so`() {
        #expect(find("nothing").problems.map(\.reason) == ["no such file"])
    }

    @Test func `a folder needs to be asked for`() throws {
        try make("day/a.mov")
        #expect(find("day").problems.map(\.reason) == ["is a folder; add --recursive"])
    }

    @Test func `a folder stands for all below it, with names from the folder on`() throws {
        try make("day/a.mov", "day/b/c.mov")
        #expect(find("day", recursive: true).files.map(\.relativeName) == ["day/a.mov", "day/b/c.mov"])
    }

    @Test func `hidden names in a folder are passed over and said`() throws {
        try make("day/.env", "day/a")
        let found = find("day", recursive: true)
        #expect(found.files.map(\.relativeName) == ["day/a"])
        #expect(found.problems.map(\.path.name) == [".env"])
    }

    @Test func `a hidden name is added when it is named`() throws {
        try make(".env")
        #expect(find(".env").files.count == 1)
    }

    @Test func `symbolic links in a folder are not followed`() throws {
        try make("out/secret", "day/a")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("day/link"), withDestinationPath: folder.path("out/secret"))
        #expect(find("day", recursive: true).files.map(\.relativeName) == ["day/a"])
    }

    @Test func `a link that is named is followed`() throws {
        try make("a")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("a"))
        #expect(find("link").files.count == 1)
    }

    @Test func `a link that leads to itself is a problem`() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("loop"), withDestinationPath: folder.path("loop"))
        #expect(find("loop").problems.count == 1)
    }

    @Test func `a pipe is refused and nobody waits for it`() throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(find("pipe").problems.map(\.reason) == ["is not a regular file"])
    }

    @Test func `a device is refused`() {
        let found = FileSearch(isRecursive: false).find([LocalPath("/dev/zero")])
        #expect(found.problems.map(\.reason) == ["is not a regular file"])
    }

    @Test func `a pattern finds what matches, in order`() throws {
        try make("b.mov", "a.mov", "c.txt")
        #expect(find("*.mov").files.map(\.relativeName) == ["a.mov", "b.mov"])
    }

    @Test func `two stars reach into folders`() throws {
        try make("a.mov", "x/b.mov", "x/y/c.mov")
        #expect(Set(find("**/*.mov").files.map(\.relativeName)) == ["a.mov", "b.mov", "c.mov"])
    }

    @Test func `a pattern without a match is a problem`() {
        #expect(find("*.mov").problems.map(\.reason) == ["nothing matches"])
    }

    @Test func `a file whose name looks like a pattern is that file`() throws {
        try make("a[1].mov", "a1.mov")
        #expect(find("a[1].mov").files.map(\.relativeName) == ["a[1].mov"])
    }

    @Test func `a file that is named twice is added once`() throws {
        try make("a")
        #expect(find("a", "a", "*").files.count == 1)
    }

    @Test func `a name that is not UTF-8 is found and keeps its bytes`() throws {
        try make("day/a")
        let path = LocalPath(folder.path("day")).appending([0x62, 0xFF, 0xFE])
        #expect(path.withCString { close(creat($0, 0o600)) } == 0)
        #expect(find("day", recursive: true).files.contains { $0.path.lastComponent == [0x62, 0xFF, 0xFE] })
    }
}

struct GlobPatternTests {
    @Test(arguments: [
        ("*.mov", "a.mov", true), ("*.mov", ".mov", false), ("*", "", true), ("?.txt", "é.txt", true),
        ("?.txt", "ab.txt", false), ("[a-c]1", "b1", true), ("[!a-c]1", "b1", false), ("[", "[", true),
        ("a*b*c", "aXbYc", true), ("a*b*c", "aXbY", false), ("\\*", "*", true), ("\\*", "x", false),
        (".*", ".env", true), ("*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
    ])
    func `patterns match as in a shell`(pattern: String, name: String, expected: Bool) {
        #expect(GlobPattern(Array(pattern.utf8)).matches(Array(name.utf8)) == expected)
    }
}
