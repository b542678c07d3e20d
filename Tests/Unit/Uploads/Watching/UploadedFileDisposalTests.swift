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

struct UploadedFileDisposalTests {
    private let directory: TemporaryDirectory
    private let file: UploadedFileDisposal

    init() throws {
        directory = try TemporaryDirectory()
        let path = LocalPath(try directory.write([1, 2, 3], to: "out/a.mov"))
        file = UploadedFileDisposal(path: path, identity: try #require(FileIdentity.ofName(path)), id: 7)
    }

    private func content(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: directory.path(name)).map(Array.init)
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path(folder)).sorted()
    }

    private func aside(_ folder: String = "out") -> String {
        file.aside(in: LocalPath(directory.path(folder))).text
    }

    private func put(_ bytes: [UInt8], at path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    private func delete() -> UploadedFileDisposal.Outcome { onceClosed { file.delete() } }

    private func move() -> UploadedFileDisposal.Outcome {
        onceClosed {
            file.move(to: LocalPath(directory.path("sent")), as: [Array("day3".utf8), Array("a.mov".utf8)])
        }
    }

    /// Runs `body` until the file is not in use. A forked child of another test may have it open for a moment.
    private func onceClosed(_ body: () -> UploadedFileDisposal.Outcome) -> UploadedFileDisposal.Outcome {
        for _ in 0..<100_000 {
            let outcome = body()
            if outcome != .inUse { return outcome }
            sched_yield()
        }
        return .inUse
    }

    @Test func `a sent file is deleted, with nothing left`() throws {
        #expect(delete() == .deleted)
        #expect(try names("out") == [])
    }

    @Test func `another version is not deleted`() throws {
        try directory.write([4], to: "out/a.mov")
        #expect(delete() == .changed)
        #expect(content("out/a.mov") == [4])
        #expect(try names("out") == ["a.mov"])
    }

    @Test func `a file of which another link was removed stays, with the reason`() throws {
        let other = directory.path("out/b.mov")
        // The change time has the resolution of the kernel's clock, some milliseconds.
        for _ in 0..<100_000 where FileIdentity.ofName(file.path) == file.identity {
            try FileManager.default.linkItem(atPath: file.path.text, toPath: other)
            try FileManager.default.removeItem(atPath: other)
        }
        #expect(delete() == .touched)
        #expect(try names("out") == ["a.mov"])
    }

    @Test func `nothing that is there is nothing to delete`() throws {
        #expect(unlink(directory.path("out/a.mov")) == 0)
        #expect(delete() == .changed)
    }

    @Test func `a folder that cannot be opened is a failure, and no change of the file`() throws {
        #expect(rename(directory.path("out"), directory.path("there")) == 0)
        #expect(symlink("out", directory.path("out")) == 0)
        guard case .failed(let reason) = delete() else {
            Issue.record("the file counts as changed")
            return
        }
        #expect(reason.contains("cannot be opened"))
        #expect(content("there/a.mov") == [1, 2, 3])
    }

    @Test func `a file that a kill left half deleted is deleted the next time`() throws {
        #expect(rename(directory.path("out/a.mov"), aside()) == 0)
        #expect(delete() == .deleted)
        #expect(try names("out") == [])
    }

    @Test func `a version that took the name in the last moment gets it back`() throws {
        try put([4], at: aside())
        #expect(unlink(directory.path("out/a.mov")) == 0)
        #expect(delete() == .changed)
        #expect(content("out/a.mov") == [4])
        #expect(try names("out") == ["a.mov"])
    }

    @Test func `if the name is taken by then, it gets a number`() throws {
        try put([4], at: aside())
        #expect(delete() == .changed)
        #expect(content("out/a (2).mov") == [4])
        #expect(content("out/a.mov") == [1, 2, 3])
    }

    @Test func `a file that another queue set aside under the same number stays`() throws {
        let path = LocalPath(try directory.write([9], to: "out/b.mov"))
        let other = UploadedFileDisposal(
            path: path, identity: try #require(FileIdentity.ofName(path)), id: file.id)
        #expect(rename(path.text, other.aside(in: LocalPath(directory.path("out"))).text) == 0)
        #expect(delete() == .deleted)
        #expect(other.delete() == .deleted)
        #expect(try names("out") == [])
    }

    #if os(Linux)
        @Test func `a file that is open for writing is neither deleted nor moved`() throws {
            try #require(FileSystemKind.tellsWriters(file.path, file.identity.device))
            let descriptor = open(file.path.text, O_WRONLY)
            defer { close(descriptor) }
            #expect(file.delete() == .inUse)
            #expect(
                file.move(to: LocalPath(directory.path("sent")), as: [Array("a.mov".utf8)]) == .inUse)
            #expect(try names("out") == ["a.mov"])
        }

        @Test func `one that was opened in the last moment gets its name back`() throws {
            try #require(FileSystemKind.tellsWriters(file.path, file.identity.device))
            let descriptor = open(file.path.text, O_WRONLY)
            defer { close(descriptor) }
            #expect(rename(file.path.text, aside()) == 0)
            #expect(file.delete() == .inUse)
            #expect(content("out/a.mov") == [1, 2, 3])
        }
    #endif

    @Test func `it is moved with its folders, which are made`() throws {
        #expect(move() == .moved(to: LocalPath(directory.path("sent/day3/a.mov"))))
        #expect(content("sent/day3/a.mov") == [1, 2, 3])
        #expect(try names("out") == [])
    }

    @Test func `nothing is overwritten: it gets a number`() throws {
        try directory.write([9], to: "sent/day3/a.mov")
        #expect(move() == .moved(to: LocalPath(directory.path("sent/day3/a (2).mov"))))
        #expect(content("sent/day3/a.mov") == [9])
        #expect(content("sent/day3/a (2).mov") == [1, 2, 3])
    }

    @Test(arguments: [(9_999, true), (10_000, false)])
    func `a name that is taken gets a number up to 10,000`(taken: Int, isMoved: Bool) throws {
        try directory.write([9], to: "sent/day3/a.mov")
        for number in 2...taken { try put([], at: directory.path("sent/day3/a (\(number)).mov")) }
        let goal = LocalPath(directory.path("sent/day3/a (10000).mov"))
        #expect((move() == .moved(to: goal)) == isMoved)
        // Without a free number, the file keeps its hidden name.
        #expect(FileManager.default.fileExists(atPath: aside("sent/day3")) != isMoved)
    }

    @Test func `a file that a kill left half moved is moved to one path the next time`() throws {
        #expect(mkdir(directory.path("sent"), 0o700) == 0 && mkdir(directory.path("sent/day3"), 0o700) == 0)
        #expect(rename(directory.path("out/a.mov"), aside("sent/day3")) == 0)
        #expect(link(aside("sent/day3"), directory.path("sent/day3/a.mov")) == 0)
        #expect(move() == .moved(to: LocalPath(directory.path("sent/day3/a.mov"))))
        #expect(try names("sent/day3") == ["a.mov"])
    }

    @Test func `another version is not moved`() throws {
        try directory.write([4], to: "out/a.mov")
        #expect(move() == .changed)
        #expect(content("out/a.mov") == [4])
        #expect(!FileManager.default.fileExists(atPath: directory.path("sent/day3/a.mov")))
    }

    @Test func `a folder that cannot be created is named, and the file stays`() throws {
        try directory.write([0], to: "sent")
        guard case .failed(let reason) = move() else {
            Issue.record("it was moved")
            return
        }
        #expect(reason == "\(directory.path("sent")) cannot be opened or created: not a directory")
        #expect(content("out/a.mov") == [1, 2, 3])
    }

    @Test(arguments: [("a.mov", "a (2).mov"), ("a", "a (2)"), (".a", ".a (2)"), ("a.b.c", "a.b (2).c")])
    func `a number stands before the ending`(name: String, numbered: String) {
        #expect(UploadedFileDisposal.numbered(Array(name.utf8), 2) == Array(numbered.utf8))
    }
}
