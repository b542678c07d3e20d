import FerryTestSupport
import Foundation
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Files that are opened by their queued path, and what may have come into the way since.
struct PathWalkTests {
    private let folder: TemporaryDirectory
    private let path: LocalPath

    init() throws {
        folder = try TemporaryDirectory()
        path = LocalPath(try folder.write(Array("mine".utf8), to: "in/day/a.bin"))
        try folder.write(Array("other".utf8), to: "out/day/a.bin")
    }

    private func text(_ file: SourceFile) throws -> String {
        var bytes = [UInt8](repeating: 0, count: Int(file.identity.size))
        try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Puts a symbolic link in the place of something, which is kept.
    private func swap(_ name: String, for target: String) throws {
        #expect(rename(folder.path(name), folder.path("kept")) == 0)
        #expect(symlink(folder.path(target), folder.path(name)) == 0)
    }

    @Test func `F14 a file without a link on its way is opened`() async throws {
        let identity = try SourceFile.identity(at: path)
        #expect(try text(try await SourceFile.open(path, queuedAs: identity)) == "mine")
    }

    @Test(arguments: [("in/day/a.bin", "out/day/a.bin"), ("in/day", "out/day"), ("in", "out")])
    func `F14 a link in the place of the file or of a folder is not followed`(
        name: String, target: String
    ) async throws {
        let identity = try SourceFile.identity(at: path)
        try swap(name, for: target)
        let failure = await #expect(throws: UploadFailure.self) {
            try await SourceFile.open(path, queuedAs: identity)
        }
        #expect(failure?.category == .sourceChanged)
        #expect(
            failure?.summary
                == "\(path.text): \(folder.path(name)) is a symbolic link now and leads to \(folder.path(target))"
        )
        #expect(failure?.hint == "remove it and add it again if that is meant")
    }

    @Test(arguments: [("in/day/a.bin", "kept"), ("in/day", "kept"), ("in", "kept")])
    func `F14 a link that leads to the very file that was queued does no harm`(
        name: String, target: String
    ) async throws {
        // A rename would be a change of the file itself; what is above it may be moved.
        let identity: FileIdentity
        if name == "in/day/a.bin" {
            try swap(name, for: target)
            identity = try SourceFile.identity(at: path)
        } else {
            identity = try SourceFile.identity(at: path)
            try swap(name, for: target)
        }
        #expect(try text(try await SourceFile.open(path, queuedAs: identity)) == "mine")
    }

    @Test func `F14 a link that leads nowhere is named with what it says`() async throws {
        let identity = try SourceFile.identity(at: path)
        try swap("in/day", for: "nothing")
        let failure = await #expect(throws: UploadFailure.self) {
            try await SourceFile.open(path, queuedAs: identity)
        }
        #expect(failure?.summary.hasSuffix("leads to \(folder.path("nothing"))") == true)
    }

    @Test func `F14 a path is resolved to the one that it leads to`() throws {
        #expect(symlink("in", folder.path("first")) == 0)
        #expect(symlink("first/day", folder.path("second")) == 0)
        #expect(try LocalPath(folder.path("second/a.bin")).resolved() == path)
    }

    @Test(arguments: [
        ("loop", "is on a loop of symbolic links"),
        ("dangling", "is a symbolic link to nowhere, where nothing is"),
        ("nothing", "no such file"), ("in/day/a.bin/x", "no such file"),
        (String(repeating: "x", count: 300), "its path is too long"),
    ])
    func `F8 what cannot be resolved says why`(name: String, reason: String) throws {
        #expect(symlink("loop", folder.path("loop")) == 0)
        #expect(symlink("nowhere", folder.path("dangling")) == 0)
        let failure = #expect(throws: UploadFailure.self) { try LocalPath(folder.path(name)).resolved() }
        #expect(failure?.summary == "\(folder.path(name)): \(reason)")
    }

    @Test(arguments: ["pipe", "socket", "day", "device"])
    func `F6 what is put into a queued file's place and is none is not opened`(kind: String) async throws {
        let identity = try SourceFile.identity(at: path)
        #expect(unlink(path.text) == 0)
        switch kind {
        case "pipe": #expect(mkfifo(path.text, 0o600) == 0)
        case "day": #expect(mkdir(path.text, 0o700) == 0)
        case "device":
            guard mknod(path.text, S_IFCHR | 0o600, 0x0105) == 0 else { return }
        default: break
        }
        let server = kind == "socket" ? try HostileServer(at: .unix(path.text)) { _ in } : nil
        defer { server?.stop() }
        let failure = await #expect(throws: UploadFailure.self) {
            try await SourceFile.open(path, queuedAs: identity)
        }
        #expect(failure?.category == .sourceUnreadable)
        #expect(
            failure?.summary == "\(path.text): is \(kind == "day" ? "a folder" : "not a regular file")")
    }

    @Test
    func `F14 whatever moment a folder is swapped at, the other file is never taken for the one queued`()
        async throws
    {
        let identity = try SourceFile.identity(at: path)
        let (day, kept, away) = (folder.path("in/day"), folder.path("in/kept"), folder.path("in/away"))
        #expect(symlink(folder.path("out/day"), away) == 0)
        let (stop, stopped) = (Gate(), Gate())
        Thread.detachNewThread {
            while !stop.isOpen {
                rename(day, kept)
                rename(away, day)
                rename(day, away)
                rename(kept, day)
            }
            stopped.open()
        }
        var (opened, refused) = (0, 0)
        for _ in 0..<5_000 {
            if let file = try? await SourceFile.open(path, queuedAs: identity) {
                opened += 1
                #expect(try text(file) == "mine")
            } else {
                refused += 1
            }
        }
        stop.open()
        try await stopped.wait()
        #expect(opened > 0)
        #expect(refused > 0)
    }

    @Test func `F14 the path that a library's user gives is relative to where the program is`() async throws {
        // Every folder on the way here is opened by name, from the working directory on.
        let here = FileManager.default.currentDirectoryPath
        let depth = here.split(separator: "/").count
        let relative = LocalPath(String(repeating: "../", count: depth) + "." + path.text)
        let identity = try SourceFile.identity(at: path)
        #expect(try text(try await SourceFile.open(relative, queuedAs: identity)) == "mine")
    }
}
