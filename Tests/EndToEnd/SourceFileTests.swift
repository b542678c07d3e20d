import FerryProtocols
import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests files that change, disappear or turn out to be something else.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct SourceFileTests {
    private static let size = 32 << 20

    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Uploads a file at a low rate, calls `change` when a mebibyte has arrived, and waits until the queue is idle.
    private func upload(
        _ protocolName: String, more: String = "", at site: ReceiverSite, kills: Bool = false,
        _ change: @Sendable (PatternFile) throws -> Void
    ) async throws -> (file: PatternFile, run: CommandResult, upload: UploadLine) {
        let url = protocolName == "tus" ? site.tusURL : site.url
        try place.configure(
            """
            { "destinations": { "here": { "url": "\(url)", "protocol": "\(protocolName)" } },
              "retry": { "base": 0.01, "cap": 0.05 }\(more) }
            """)
        try place.file("a.bin", "")
        let file = try PatternFile(at: place.path("a.bin"), count: Self.size)
        try await place.ferry("add", file.path)
        var engine = try place.start("run", "--json", "--exit-when-idle")
        try await site.log.wait { $0.bytes >= 1 << 20 }
        if kills {
            engine.signal(SIGKILL)
            try await engine.ending()
        }
        try change(file)
        if kills { engine = try place.start("run", "--json", "--exit-when-idle") }
        let result = try await Workplace.result(of: engine)
        return (file, result, try #require(try await place.list().first))
    }

    private static let slowly: @Sendable (inout ReceiverConfiguration) -> Void = {
        $0.bytesPerSecond = 16 << 20
    }

    @Test(arguments: ["tus", "put"])
    func `F1 a file that grows while it is sent is held, and nothing of it is left at the server`(
        protocolName: String
    ) async throws {
        try await ReceiverSite.with(Self.slowly) { site in
            let (file, run, upload) = try await upload(protocolName, at: site) { try Self.append(to: $0) }
            #expect(run.ending == .exited(1))
            #expect(upload.state == "held")
            #expect(
                upload.error?.hasPrefix(
                    "\(file.path): edited while it was sent: was \(ByteFormat.sentence(Self.size)), has 1 B more now"
                )
                    == true, "\(upload.error ?? "")")
            #expect(upload.hint == "retry sends it as it is now")
            #expect(upload.confirmed == 0)
            #expect(try site.names().isEmpty)
            // The receiver may notice the broken connection a moment later.
            try await Eventually.holds("nothing unfinished is left") { try site.unfinished().isEmpty }
            #expect(try await place.ferry("retry", "1").ending == .exited(0))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
            #expect(site.content("a.bin")?.count == Self.size + 1)
            #expect(await ChildProcess.succeeds("cmp", file.path, site.folder + "/a.bin"))
        }
    }

    @Test func `F1 a file that changes is sent anew by itself where that is configured`() async throws {
        try await ReceiverSite.with(Self.slowly) { site in
            let (file, run, upload) = try await upload(
                "tus", more: #", "whenFileChanges": "restart""#, at: site
            ) {
                try Self.append(to: $0)
            }
            #expect(run.ending == .exited(0))
            #expect(upload.state == "done")
            #expect(upload.attempts == 2)
            #expect(upload.size == Self.size + 1)
            #expect(try site.names() == ["a.bin"])
            #expect(await ChildProcess.succeeds("cmp", file.path, site.folder + "/a.bin"))
        }
    }

    @Test func `F2 a file that is cut while it is read is held`() async throws {
        try await ReceiverSite.with(Self.slowly) { site in
            let (_, _, upload) = try await upload("put", at: site) {
                #expect(truncate($0.path, 4096) == 0)
            }
            #expect(upload.state == "held")
            #expect(
                upload.error?.hasSuffix(
                    ": edited while it was sent: was \(ByteFormat.sentence(Self.size)), is 4 KiB now") == true
            )
            #expect(try site.names().isEmpty)
        }
    }

    @Test func `F3 a file that is replaced while it is sent arrives as it was, and the list says so`()
        async throws
    {
        try await ReceiverSite.with(Self.slowly) { site in
            let (file, run, upload) = try await upload("tus", at: site) { try Self.replace($0) }
            #expect(run.ending == .exited(0))
            #expect(upload.source == "replaced")
            let content = try #require(site.content("a.bin"))
            #expect(content.count == Self.size)
            #expect(file.firstDifference(from: Array(content)) == nil)
            #expect(try await place.ferry("list").output.contains("the file was replaced meanwhile"))
        }
    }

    @Test func `F3 after a restart a file of the same size and time is not taken for the one before`()
        async throws
    {
        try await ReceiverSite.with(Self.slowly) { site in
            let (file, run, upload) = try await upload("tus", at: site, kills: true) { try Self.replace($0) }
            #expect(run.ending == .exited(1))
            #expect(upload.state == "held")
            #expect(
                upload.error?.hasPrefix(
                    "\(file.path): replaced while queued: another file of \(ByteFormat.sentence(Self.size)) is there now"
                )
                    == true, "\(upload.error ?? "")")
            // The server's bytes of the first file are deleted. Bytes of the second are never appended to them.
            #expect(try site.names().isEmpty)
            #expect(try site.unfinished().isEmpty)
            try await place.ferry("retry", "1")
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
            #expect(await ChildProcess.succeeds("cmp", file.path, site.folder + "/a.bin"))
        }
    }

    @Test func `F4 a file that is deleted while it is sent arrives whole, and the list says so`() async throws
    {
        try await ReceiverSite.with(Self.slowly) { site in
            let (file, run, upload) = try await upload("put", at: site) { #expect(unlink($0.path) == 0) }
            #expect(run.ending == .exited(0))
            #expect(upload.source == "deleted")
            let content = try #require(site.content("a.bin"))
            #expect(content.count == Self.size)
            #expect(file.firstDifference(from: Array(content)) == nil)
            #expect(try await place.ferry("list").output.contains("the file was deleted meanwhile"))
        }
    }

    @Test func `F4 a file that is gone after a restart has failed`() async throws {
        try await ReceiverSite.with(Self.slowly) { site in
            let (file, run, upload) = try await upload("tus", at: site, kills: true) {
                #expect(unlink($0.path) == 0)
            }
            #expect(run.ending == .exited(1))
            #expect(upload.state == "failed")
            #expect(upload.error == "\(file.path): no such file")
            #expect(try site.names().isEmpty)
        }
    }

    @Test func `F4 a file that is gone before its turn has failed and delays no other`() async throws {
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            let path = try place.file("a")
            try await place.ferry("add", path, try place.file("b"))
            #expect(unlink(path) == 0)
            #expect(try await place.ferry("run", "--exit-when-idle").lines.last == "1 done, 1 failed")
            #expect(try await place.list().first?.error == "\(path): no such file")
        }
    }

    @Test func `F6 a path that is no regular file is refused when it is added, without a delay`() async throws
    {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try place.file("folder/a")
        for name in ["pipe", "folder/pipe"] { try #require(mkfifo(place.path(name), 0o600) == 0) }
        let server = try HostileServer(at: .unix(place.path("socket"))) { _ in }
        defer { server.stop() }
        let result = try await place.ferry(
            "add", "--recursive", place.path("pipe"), place.path("socket"), "/dev/zero", "/proc/self/status",
            place.path("folder"))
        #expect(result.ending == .exited(1))
        #expect(
            result.errors == """
                skipped: \(place.path("pipe")): is not a regular file
                skipped: \(place.path("socket")): is not a regular file
                skipped: /dev/zero: is not a regular file
                skipped: /proc/self/status: is not a file on a disk
                skipped: \(place.path("folder/pipe")): is not a regular file

                """)
        #expect(result.output == "added 1 file, 8 B, to here; 5 skipped\n")
    }

    @Test func `F6 a pipe instead of a queued file is refused and blocks nothing`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let path = try place.file("a")
        try await place.ferry("add", path)
        #expect(unlink(path) == 0)
        try #require(mkfifo(path, 0o600) == 0)
        let run = try await place.ferry("run", "--exit-when-idle")
        #expect(run.lines.last == "1 failed")
        #expect(try await place.list().first?.error == "\(path): is not a regular file")
    }

    @Test func `F7 a folder that cannot be read is named and counted, and the rest is added`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        for name in ["day/open/a", "day/closed/b"] { try place.file(name) }
        #expect(chmod(place.path("day/closed"), 0) == 0)
        defer { chmod(place.path("day/closed"), 0o700) }
        let process = try place.start(through: Privilege.without, ["add", "--recursive", place.path("day")])
        let result = try await Workplace.result(of: process)
        #expect(result.ending == .exited(1))
        let reason = "cannot be read: permission denied; let this user read it (`chmod`, `chown`)"
        #expect(result.errors == "skipped: \(place.path("day/closed")): \(reason)\n")
        #expect(result.output == "added 1 file, 8 B, to here; 1 skipped\n")
    }

    @Test(
        .enabled(
            if: Privilege.isRoot && Privilege.has("unshare"), "takes root to mount a folder within itself"))
    func `F7 a folder that is mounted within itself is a loop, and is named`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        for name in ["day/a", "day/in/here/b"] { try place.file(name) }
        let script = "mount --make-rprivate / && mount --bind \"$0\" \"$0/in/here\" && exec \"$@\""
        let process = try place.start(
            through: ["unshare", "--mount", "sh", "-c", script, place.path("day")],
            ["add", "--recursive", place.path("day")])
        let result = try await Workplace.result(of: process)
        #expect(
            result.errors
                == "skipped: \(place.path("day/in/here")): is a loop: the same folder as \(place.path("day"))\n"
        )
        #expect(try await place.list().map(\.name) == ["day/a"])
    }

    @Test func `F8 the target of a link is queued by its own path and named as the link`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let path = try place.file("real/a.bin")
        #expect(symlink("real/a.bin", place.path("link.bin")) == 0)
        #expect(symlink("loop", place.path("loop")) == 0)
        #expect(symlink("nothing", place.path("dangling")) == 0)
        let result = try await place.ferry(
            "add", place.path("link.bin"), place.path("loop"), place.path("dangling"))
        #expect(
            result.errors == """
                skipped: \(place.path("loop")): is on a loop of symbolic links
                skipped: \(place.path("dangling")): is a symbolic link to nothing, where nothing is

                """)
        let uploads = try await place.list()
        #expect(uploads.map(\.path) == [path])
        #expect(uploads.map(\.name) == ["link.bin"])
    }

    @Test func `F9 only the last mebibyte of a tebibyte is sent when the server has the rest`()
        async throws
    {
        let size = 1 << 40
        try place.file("large.bin", "")
        let file = try PatternFile(at: place.path("large.bin"), count: size, isSparse: true)
        let rest = size - (1 << 20)
        let server = try HostileServer(
            bodyLimit: 2 << 20,
            [
                .answer(204, headers: [("Tus-Version", "1.0.0"), ("Tus-Extension", "creation")]),
                .answer(201, headers: [("Location", "/files/7")]),
                .reset(afterBodyBytes: 1000),
                .answer(200, headers: [("Upload-Offset", "\(rest)"), ("Upload-Length", "\(size)")]),
                .answer(204, headers: [("Upload-Offset", "\(size)")]),
            ])
        defer { server.stop() }
        try place.configure("tus", at: server.url("/files/"))
        #expect(try await place.ferry("add", file.path).output == "added 1 file, 1 TiB, to here\n")
        let run = try await place.ferry("run", "--exit-when-idle")
        #expect(run.lines.last == "1 done", "\(run.output)")
        let requests = server.requests
        #expect(requests.map(\.method) == ["OPTIONS", "POST", "PATCH", "HEAD", "PATCH", "HEAD"])
        #expect(requests[1]["Upload-Length"] == "\(size)")
        #expect(requests[2]["Content-Length"] == "\(size)")
        #expect(requests[4]["Upload-Offset"] == "\(rest)")
        #expect(requests[4]["Content-Length"] == "\(1 << 20)")
        #expect(file.firstDifference(from: requests[4].body, at: rest) == nil)
        let upload = try #require(try await place.list().first)
        #expect(upload.confirmed == size)
        #expect(upload.resumes == 1)
    }

    @Test func `F9 a file over the server's limit is refused before anything of it is sent`() async throws {
        try place.file("large.bin", "")
        let file = try PatternFile(at: place.path("large.bin"), count: 1 << 40, isSparse: true)
        let offer = [
            ("Tus-Version", "1.0.0"), ("Tus-Extension", "creation"), ("Tus-Max-Size", "\(1 << 30)"),
        ]
        let server = try HostileServer([.answer(204, headers: offer)])
        defer { server.stop() }
        try place.configure("tus", at: server.url("/files/"))
        try await place.ferry("add", file.path)
        #expect(try await place.ferry("run", "--exit-when-idle").lines.last == "1 failed")
        #expect(server.requests.map(\.method) == ["OPTIONS"])
        #expect(try await place.list().first?.error == "the file has 1 TiB, the server takes 1 GiB")
    }

    @Test(arguments: ["put", "form", "tus", "resumable"])
    func `F10 a file of 0 bytes is one finished file of 0 bytes`(protocolName: String) async throws {
        try await ReceiverSite.with { site in
            try place.configure(protocolName, at: protocolName == "tus" ? site.tusURL : site.url)
            try await place.ferry("add", try place.file("empty.bin", ""))
            let run = try await place.ferry("run", "--exit-when-idle")
            #expect(run.lines.last == "1 done", "\(run.output)")
            #expect(try site.names() == ["empty.bin"])
            #expect(site.content("empty.bin") == Data())
        }
    }

    @Test func `F12 a file that may still be written is left out where an age is asked for`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let (old, young) = (try place.file("old"), try place.file("young"))
        try FileManager.default.setAttributes([.modificationDate: Date.now - 7200], ofItemAtPath: old)
        let result = try await place.ferry("add", "--min-age", "3600", old, young)
        #expect(result.ending == .exited(1))
        #expect(result.output == "added 1 file, 8 B, to here; 1 skipped\n")
        #expect(result.errors.hasPrefix("skipped: \(young): changed "))
        #expect(result.errors.hasSuffix(" s ago, may still be written\n"))
        #expect(try await place.ferry("add", young).ending == .exited(0))
        #expect(try await place.ferry("add", "--min-age", "-1", young).ending == .exited(2))
    }

    private static func append(to file: PatternFile) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([1]))
        try handle.close()
    }

    /// Replaces the file by another one with the same size and modification time.
    private static func replace(_ file: PatternFile) throws {
        let other = file.path + ".new"
        _ = try PatternFile(at: other, count: file.count, seed: 99)
        var before = stat()
        #expect(stat(file.path, &before) == 0)
        #expect(utimensat(AT_FDCWD, other, [before.st_atim, before.st_mtim], 0) == 0)
        #expect(rename(other, file.path) == 0)
    }
}
