import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests the receiver with real clients.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct ReceiverClientTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs a program and returns its output.
    /// - Throws: An error if the program fails.
    private static func output(of program: String, _ words: [String]) async throws -> String {
        let environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"]
        let process = try ChildProcess(program, words.map { Array($0.utf8) }, environment: environment)
        let ending = try await process.ending()
        try #require(ending == .exited(0), "\(words) \(process.output.text) \(process.errors.text)")
        return process.output.text
    }

    // MARK: tuspy

    /// Runs tuspy, and returns the URL of the upload and the offset from which it sent bytes.
    private static func tuspy(_ words: String...) async throws -> (url: String, start: Int) {
        let script = InteropServer.script("tuspy_client.py")
        let text = try await output(of: try #require(InteropServer.python), [script] + words)
        let answer = text.split(whereSeparator: \.isWhitespace)
        try #require(answer.count == 2, "\(text)")
        return (String(answer[0]), try #require(Int(answer[1])))
    }

    @Test(
        .enabled(if: InteropServer.hasPython, InteropServer.needsPython),
        arguments: [0, 1, 1_000_000, 3_000_001])
    func `tuspy sends a file in chunks`(size: Int) async throws {
        let path = directory.path("in.bin")
        _ = try PatternFile(at: path, count: size)
        try await ReceiverSite.with { site async throws in
            _ = try await Self.tuspy("send", site.tusURL, path, "ä b.bin", "1000000")
            #expect(await ChildProcess.succeeds("cmp", path, site.folder + "/ä b.bin"))
            #expect(site.log.totals.bytes == size)
        }
    }

    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `tuspy resumes in another process with what the receiver has`() async throws {
        let path = directory.path("in.bin")
        let size = 5_000_000
        _ = try PatternFile(at: path, count: size)
        try await ReceiverSite.with { site async throws in
            let begun = try await Self.tuspy("begin", site.tusURL, path, "a.bin", "700000", "2000000")
            #expect(try site.names() == [])
            let resumed = try await Self.tuspy("resume", begun.url, path, "700000")
            #expect(resumed.start == 2_000_000)
            #expect(await ChildProcess.succeeds("cmp", path, site.folder + "/a.bin"))
            #expect(site.log.totals.bytes == size)
        }
    }

    // MARK: Ferry

    @Test(arguments: ["put", "post", "form", "tus", "resumable", "auto"])
    func `folders stay what they are by every protocol, and the list says where files are`(
        protocolName: String
    ) async throws {
        let place = try Workplace()
        let files = ["day3/one/x.txt", "day3/two/x.txt", "day3/ü b/c.txt"]
        for name in files { try place.file(name, name) }
        try await ReceiverSite.with { site async throws in
            let url = protocolName == "tus" ? site.tusURL : site.url
            try place.configure(protocolName, at: url)
            try await place.ferry("add", "--recursive", place.path("day3"))
            let run = try await place.ferry("run", "--exit-when-idle")
            #expect(run.ending == .exited(0), "\(run.output)")
            let uploads = try await place.list()
            #expect(Set(uploads.map(\.name)) == Set(files))
            for upload in uploads {
                #expect(site.content(upload.name) == Data(upload.name.utf8))
                let location = upload.location?.removingPercentEncoding
                #expect(location == site.url + upload.name, "\(upload.location ?? "nil")")
            }
        }
    }

    // MARK: rclone

    private static let listing: @Sendable (inout ReceiverConfiguration) -> Void = { $0.allowListing = true }
    private static let hasRclone = Privilege.has("rclone")
    private static let needsRclone: Comment = "needs rclone; Tests/run installs it"

    private static func copy(_ folder: String, to site: ReceiverSite) async throws {
        let words = [
            "rclone", "copy", folder, ":webdav:", "--webdav-url", site.url, "--webdav-vendor", "other",
            "--config", "/dev/null", "--retries", "1", "--low-level-retries", "1",
        ]
        _ = try await output(of: "/usr/bin/env", words)
    }

    /// Makes a tree with unusual names and nested folders. One folder is named `files`, like the receiver's path for
    /// tus. One file is empty, and one has 5 MB.
    private func makeTree() throws -> (folder: String, files: Int) {
        let files = [
            "plain.txt": 12, "two words.txt": 1, "50% + 1.txt": 2, "Grüße.txt": 3, "#1 & <2>?.txt": 4,
            "empty": 0, "large.bin": 5_000_000, "sub folder/ü/%41.txt": 5, "files/a": 6,
            "files/0123456789abcdef0123456789abcdef": 7,
        ]
        let folder = directory.path("tree")
        for (name, size) in files {
            let path = URL(fileURLWithPath: folder + "/" + name)
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            _ = try PatternFile(at: path.path, count: size, seed: UInt64(size))
        }
        return (folder, files.count)
    }

    @Test(.enabled(if: hasRclone, needsRclone))
    func `rclone copies a tree, and nothing of it a second time`() async throws {
        let tree = try makeTree()
        try await ReceiverSite.with(Self.listing) { site async throws in
            try await Self.copy(tree.folder, to: site)
            #expect(
                await ChildProcess.succeeds("diff", "-r", "--exclude=.ferry", tree.folder, site.folder))
            #expect(site.log.totals.finished == tree.files)
            try await Self.copy(tree.folder, to: site)
            #expect(site.log.totals.finished == tree.files)
        }
    }

    @Test(.enabled(if: hasRclone, needsRclone))
    func `rclone sends what is new in a tree`() async throws {
        let tree = try makeTree()
        try await ReceiverSite.with(Self.listing) { site async throws in
            try await Self.copy(tree.folder, to: site)
            try Data("new".utf8).write(to: URL(fileURLWithPath: tree.folder + "/sub folder/new.txt"))
            try await Self.copy(tree.folder, to: site)
            #expect(
                await ChildProcess.succeeds("diff", "-r", "--exclude=.ferry", tree.folder, site.folder))
            #expect(site.log.totals.finished == tree.files + 1)
        }
    }
}
