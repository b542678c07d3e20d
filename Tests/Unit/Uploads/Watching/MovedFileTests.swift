import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests how uploaded files are moved between folders in which another user can write.
struct MovedFileTests {
    /// The id of another user.
    private static let other: UInt32 = 12345

    private let directory: TemporaryDirectory
    private let file: UploadedFileDisposal

    init() throws {
        directory = try TemporaryDirectory()
        let path = LocalPath(try directory.write([1, 2, 3], to: "out/a.mov"))
        try directory.write([0], to: "elsewhere/b.mov")
        file = UploadedFileDisposal(path: path, identity: try #require(FileIdentity.ofName(path)), id: 7)
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path(folder)).sorted()
    }

    private func make(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory.path(folder), withIntermediateDirectories: true)
    }

    /// Makes a symbolic link, which belongs to the other user if `ofOther` is true.
    private func link(_ name: String, to target: String, ofOther: Bool) {
        #expect(symlink(target, directory.path(name)) == 0)
        if ofOther { give(name) }
    }

    /// Makes the other user the owner of a file, folder or link.
    private func give(_ name: String) {
        #expect(lchown(directory.path(name), Self.other, Self.other) == 0)
    }

    /// Moves the file. A forked child of another test may have it open for a moment, so this tries again.
    private func move(to folder: String = "sent") -> UploadedFileDisposal.Outcome {
        for _ in 0..<100_000 {
            let outcome = file.move(
                to: LocalPath(directory.path(folder)), as: [Array("day3".utf8), Array("a.mov".utf8)])
            if outcome != .inUse { return outcome }
            sched_yield()
        }
        return .inUse
    }

    private static let notFollowed =
        "is a symbolic link of another user (12345), which is not followed; "
        + "remove it, or move files to a folder of your own"

    @Test(.enabled(if: geteuid() == 0, "gives a link to another user"), arguments: [false, true])
    func `a link of another user below the target is not followed, and the file stays`(
        isRelative: Bool
    ) throws {
        try make("sent")
        let goal = isRelative ? "../elsewhere" : directory.path("elsewhere")
        link("sent/day3", to: goal, ofOther: true)
        #expect(move() == .failed("\(directory.path("sent/day3")) \(Self.notFollowed)"))
        #expect(try names("out") == ["a.mov"])
        #expect(try names("elsewhere") == ["b.mov"])
    }

    @Test(.enabled(if: geteuid() == 0, "gives a link to another user"))
    func `a link of another user above the target is not followed, and the file stays`() throws {
        try make("elsewhere/sent")
        link("shared", to: "elsewhere", ofOther: true)
        #expect(move(to: "shared/sent") == .failed("\(directory.path("shared")) \(Self.notFollowed)"))
        #expect(try names("out") == ["a.mov"])
        #expect(try names("elsewhere/sent") == [])
    }

    @Test(.enabled(if: geteuid() == 0, "gives a folder to another user"), arguments: ["sent", "sent/day3"])
    func `a target folder of another user is refused, and the file stays`(name: String) throws {
        try make("sent/day3")
        give(name)
        #expect(
            move()
                == .failed(
                    "\(directory.path(name)) belongs to another user (12345); move files to a folder of your own"
                ))
        #expect(try names("out") == ["a.mov"])
        #expect(try names("sent/day3") == [])
    }

    @Test(.enabled(if: geteuid() == 0, "gives folders to another user"))
    func `a file of another user's folder is moved to a folder of that user`() throws {
        try make("sent/day3")
        for name in ["out", "sent", "sent/day3"] { give(name) }
        #expect(move() == .moved(to: LocalPath(directory.path("sent/day3/a.mov"))))
        #expect(try names("sent/day3") == ["a.mov"])
    }

    @Test(arguments: ["sent", "sent/day3"])
    func `the user's own links are followed to the target`(name: String) throws {
        if name == "sent/day3" { try make("sent") }
        link(name, to: directory.path("elsewhere"), ofOther: false)
        #expect(move() == .moved(to: LocalPath(directory.path("sent/day3/a.mov"))))
        #expect(try names("out") == [])
        let folder = name == "sent" ? "elsewhere/day3" : "elsewhere"
        #expect(try names(folder).contains("a.mov"))
    }

    @Test func `a target behind a circle of links is refused, and the file stays`() throws {
        link("sent", to: "sent", ofOther: false)
        guard case .failed(let reason) = move() else {
            Issue.record("it was moved")
            return
        }
        #expect(reason.hasPrefix("\(directory.path("sent")) cannot be opened or created: too many"))
        #expect(try names("out") == ["a.mov"])
    }

    @Test(.enabled(if: geteuid() == 0, "gives a link to another user"))
    func `a folder that another user replaced by a link loses no file`() throws {
        #expect(rename(directory.path("out"), directory.path("kept")) == 0)
        link("out", to: directory.path("kept"), ofOther: true)
        for outcome in [move(), file.delete()] {
            guard case .failed(let reason) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(reason.contains("is a symbolic link of another user"))
        }
        #expect(try names("kept") == ["a.mov"])
    }

    @Test func `folders that a move makes have the rights that the umask leaves`() throws {
        #expect(move() == .moved(to: LocalPath(directory.path("sent/day3/a.mov"))))
        let plain = directory.path("plain")
        #expect(mkdir(plain, 0o777) == 0)
        for name in ["sent", "sent/day3"] {
            #expect(
                FileStatus.of(LocalPath(directory.path(name)), follows: false)?.mode
                    == FileStatus.of(LocalPath(plain), follows: false)?.mode)
        }
    }
}
