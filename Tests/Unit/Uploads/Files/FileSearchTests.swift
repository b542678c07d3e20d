import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

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

    @Test func `F7 a folder needs to be asked for`() throws {
        try make("day/a.mov")
        #expect(find("day").problems.map(\.reason) == ["is a folder"])
    }

    @Test func `a folder stands for all below it, with names from the folder on`() throws {
        try make("day/a.mov", "day/b/c.mov")
        #expect(find("day", recursive: true).files.map(\.relativeName) == ["day/a.mov", "day/b/c.mov"])
    }

    @Test(arguments: ["day/", "day/.", "day/./", "day/b/..", "day/b/../", "day/b/../.", "./day//."])
    func `the names below a folder that ends with a slash or dots begin below it`(spelling: String) throws {
        try make("day/a.mov", "day/b/c.mov")
        #expect(find(spelling, recursive: true).files.map(\.relativeName) == ["a.mov", "b/c.mov"])
    }

    @Test func `a listed folder of dots is no part of a name`() throws {
        try make("day/a.mov", "day/b/c.mov")
        let toRoot = String(repeating: "../", count: 100)
        for spelling in ["day/.", "day/b/.."] {
            let path = LocalPath(toRoot + folder.path(spelling).dropFirst())
            let found = FileSearch(isRecursive: true, isLiteral: true).find([path])
            #expect(found.files.map(\.relativeName) == ["a.mov", "b/c.mov"], "\(spelling)")
        }
    }

    @Test func `the files of a large folder are found in order`() throws {
        let numbers = 10_000..<14_200
        for number in numbers { _ = try folder.write([], to: "day/\(number)") }
        let found = find("day", recursive: true)
        #expect(found.files.map(\.relativeName) == numbers.map { "day/\($0)" })
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

    @Test func `F8 symbolic links in a folder are not followed, and each is named`() throws {
        try make("out/secret", "day/a")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("day/link"), withDestinationPath: folder.path("out/secret"))
        #expect(symlink(folder.path("out"), folder.path("day/folder")) == 0)
        #expect(symlink("nowhere", folder.path("day/dangling")) == 0)
        let found = find("day", recursive: true)
        #expect(found.files.map(\.relativeName) == ["day/a"])
        #expect(found.problems.map(\.path.name) == ["dangling", "folder", "link"])
        #expect(Set(found.problems.map(\.reason)) == ["is a symbolic link; name it to add it"])
    }

    @Test func `a file that is reached by its own path and through a link is added once`() throws {
        try make("day/a")
        #expect(symlink("day", folder.path("link")) == 0)
        let search = FileSearch(isRecursive: false, isLiteral: true)
        let paths = ["day/a", "link/a"].map { LocalPath(folder.path($0)) }
        #expect(search.find(paths).files.map(\.relativeName) == ["a"])
        #expect(search.find(paths.reversed()).files.map(\.relativeName) == ["a"])
    }

    @Test func `F8 a link that is named is followed, and what is queued is where it leads`() throws {
        try make("a", "out/b")
        #expect(symlink("a", folder.path("link")) == 0)
        #expect(symlink("link", folder.path("second")) == 0)
        #expect(symlink("out", folder.path("folder")) == 0)
        let found = find("second", "folder", recursive: true)
        #expect(found.files.map(\.path.text) == [folder.path("a"), folder.path("out/b")])
        #expect(found.files.map(\.relativeName) == ["second", "folder/b"])
        #expect(found.problems.isEmpty)
    }

    @Test(arguments: [false, true])
    func `F8 a link that leads nowhere and one that leads to itself are named`(isPattern: Bool) throws {
        #expect(symlink("loop", folder.path("loop")) == 0)
        #expect(symlink("nothing", folder.path("dangling")) == 0)
        let found = isPattern ? find("*") : find("dangling", "loop")
        #expect(
            found.problems.map(\.reason) == [
                "is a symbolic link to nothing, where nothing is", "is on a loop of symbolic links",
            ])
    }

    @Test func `F6 a pipe is refused without waiting for it`() throws {
        try make("day/a")
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(mkfifo(folder.path("day/pipe"), 0o600) == 0)
        #expect(find("pipe").problems.map(\.reason) == ["is not a regular file"])
        #expect(find("day", recursive: true).problems.map(\.reason) == ["is not a regular file"])
    }

    @Test func `F6 a socket is refused`() throws {
        let server = try HostileServer(at: .unix(folder.path("socket"))) { _ in }
        defer { server.stop() }
        #expect(find("socket").problems.map(\.reason) == ["is not a regular file"])
    }

    @Test(
        .enabled(if: FileKind.of(LocalPath("/proc/self"), follows: false) != .missing, "there is no /proc"))
    func `F6 a pseudo file of the kernel is refused`() {
        let found = FileSearch(isRecursive: false).find([LocalPath("/proc/self/status")])
        #expect(found.problems.map(\.reason) == ["is not a file on a disk"])
    }

    @Test func `F6 a device is refused`() {
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

    @Test func `a file with a name that looks like a pattern is that file`() throws {
        try make("a[1].mov", "a1.mov")
        #expect(find("a[1].mov").files.map(\.relativeName) == ["a[1].mov"])
    }

    @Test func `a file that is named twice is added once`() throws {
        try make("a")
        #expect(find("a", "a", "*").files.count == 1)
    }

    @Test
    func `F7 a tree of 2,000 folders, with paths longer than the system takes, is a problem and no crash`()
        async throws
    {
        try make("day/a")
        var descriptor = open(folder.path("day"), O_RDONLY | O_DIRECTORY)
        for _ in 0..<2_000 {
            try #require(mkdirat(descriptor, "dd", 0o700) == 0)
            let next = openat(descriptor, "dd", O_RDONLY | O_DIRECTORY)
            try #require(next >= 0)
            close(descriptor)
            descriptor = next
        }
        close(descriptor)
        let found = find("day", recursive: true)
        #expect(found.files.map(\.relativeName) == ["day/a"])
        #expect(found.problems.map(\.reason) == ["is nested too deeply: in 256 folders"])
        #expect(find("day/**").problems.map(\.reason) == ["is nested too deeply: in 256 folders"])
        #expect(
            find("day/" + String(repeating: "dd/", count: 2000)).problems.map(\.reason) == [
                "its path is too long"
            ])
        try removeDeep()
    }

    @Test func `F7 a file with a path longer than the system takes is a problem`() throws {
        try make("day/a")
        let name = String(repeating: "n", count: 250)
        var descriptor = open(folder.path("day"), O_RDONLY | O_DIRECTORY)
        for _ in 0..<16 {
            try #require(mkdirat(descriptor, name, 0o700) == 0)
            let next = openat(descriptor, name, O_RDONLY | O_DIRECTORY)
            close(descriptor)
            descriptor = next
        }
        close(openat(descriptor, name, O_WRONLY | O_CREAT, 0o600))
        close(descriptor)
        let found = find("day", recursive: true)
        #expect(found.files.map(\.relativeName) == ["day/a"])
        #expect(found.problems.map(\.reason) == ["its path is too long"])
        try removeDeep()
    }

    /// Removes the folder, which is too deep for the removal at the test's end.
    private func removeDeep() throws {
        let removal = Process()
        removal.executableURL = URL(fileURLWithPath: "/bin/rm")
        removal.arguments = ["-rf", folder.path("day")]
        try removal.run()
        removal.waitUntilExit()
    }

    @Test func `F12 a file that changed just now is left out where an age is asked for`() throws {
        try make("day/old", "day/young", "day/future")
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        for (name, age) in [("old", 10.0), ("young", 3.2), ("future", -50)] {
            try FileManager.default.setAttributes(
                [.modificationDate: now.addingTimeInterval(-age)], ofItemAtPath: folder.path("day/\(name)"))
        }
        let search = FileSearch(isRecursive: true, minimumAge: 5, now: { now })
        let found = search.find([LocalPath(folder.path("day"))])
        #expect(found.files.map(\.relativeName) == ["day/old"])
        #expect(
            found.problems.map { "\($0.path.name) \($0.reason)" } == [
                "future changed 0 s ago, may still be written", "young changed 3 s ago, may still be written",
            ])
        #expect(
            FileSearch(isRecursive: true, now: { now }).find([LocalPath(folder.path("day"))]).files.count == 3
        )
    }

    @Test func `F11 a name that is not UTF-8 is found and keeps its bytes`() throws {
        try make("day/a")
        let path = LocalPath(folder.path("day")).appending([0x62, 0xFF, 0xFE])
        #expect(path.withCString { close(creat($0, 0o600)) } == 0)
        let found = find("day", recursive: true)
        #expect(found.files.contains { $0.path.lastComponent == [0x62, 0xFF, 0xFE] })
        #expect(found.changedNames == 1)
    }

    @Test func `the first of several names that become one at the server is taken`() throws {
        for (place, name) in [("day", [0x62, 0xFE]), ("day", [0x62, 0xFF]), ("night", [0x62, 0xFE])]
            as [(String, [UInt8])]
        {
            try make("\(place)/a")
            let path = LocalPath(folder.path(place)).appending(name)
            #expect(path.withCString { close(creat($0, 0o600)) } == 0)
        }
        try make("night/b\u{FFFD}")
        for place in ["day", "night"] {
            let found = find(place, recursive: true)
            #expect(found.files.map(\.relativeName) == ["\(place)/a", "\(place)/b\u{FFFD}"])
            #expect(
                found.problems.map(\.reason) == [
                    "would have the name of another file at the server, as what is not UTF-8 is replaced there"
                ])
        }
        let both = find("day", "night", recursive: true)
        #expect(both.files.count == 4)
    }
}

struct GlobPatternTests {
    @Test(arguments: [
        ("*.mov", "a.mov", true), ("*.mov", ".mov", false), ("*", "", true), ("?.txt", "é.txt", true),
        ("?.txt", "ab.txt", false), ("[a-c]1", "b1", true), ("[!a-c]1", "b1", false), ("[", "[", true),
        ("[ä-ü]", "ö", true), ("[!a]", "ä", true), ("[!ä]x", "äx", false), ("[a-]", "-", true),
        ("[z-a]", "-", true),
        ("a*b*c", "aXbYc", true), ("a*b*c", "aXbY", false), ("\\*", "*", true), ("\\*", "x", false),
        (".*", ".env", true), ("*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
    ])
    func `patterns match as in a shell`(pattern: String, name: String, expected: Bool) {
        #expect(GlobPattern(Array(pattern.utf8)).matches(Array(name.utf8)) == expected)
    }
}
