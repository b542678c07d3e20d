import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests a file that Ferry may not read, from the start or later.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct PermissionTests {
    private static let nextStep = "let this user read it (`chmod`, `chown`), then retry"

    private let place: Workplace

    init() throws { place = try Workplace() }

    private func run(_ arguments: String..., through words: [String] = Privilege.without) async throws
        -> CommandResult
    {
        try await Workplace.result(of: try place.start(through: words, arguments))
    }

    @Test func `F5 a file that may not be read fails at once and is named, and other uploads run`()
        async throws
    {
        let place = place
        let path = try place.file("b", "mine")
        for name in ["a", "c"] { try place.file(name, name) }
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            try await place.ferry("add", place.path("a"), path, place.path("c"))
            try #require(chmod(path, 0) == 0)
            let result = try await run("run", "--json", "--exit-when-idle")
            #expect(result.ending == .exited(1), "\(result.errors)")
            let uploads = try await place.list()
            #expect(uploads.map(\.state) == ["done", "failed", "done"])
            let failed = try #require(uploads.first { $0.state == "failed" })
            #expect(failed.error == "\(path): permission denied")
            #expect(failed.hint == Self.nextStep)
            #expect(failed.attempts == 1)
            let seen = try UploadLine.all(in: result.lines)
            #expect(!seen.contains { $0.state == "waiting" })
            // The next step of the message solves it.
            try #require(chmod(path, 0o600) == 0)
            try await place.ferry("retry", "\(failed.id)")
            #expect(try await run("run", "--exit-when-idle").ending == .exited(0))
            #expect(site.content("b") == Data("mine".utf8))
        }
    }

    @Test func `F5 permission that is lost between two attempts ends the upload`() async throws {
        let path = try place.file("a", "mine")
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                chmod(path, 0)
                try connection.answer(503)
            }
        }
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", path)
        let result = try await run("run", "--exit-when-idle")
        #expect(result.ending == .exited(1), "\(result.errors)")
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "failed")
        #expect(upload.error == "\(path): permission denied")
        #expect(upload.attempts == 2)
        #expect(server.requests.count == 1)
    }

    @Test func `F5 permission that is lost while the file is sent is not missed: it is open`() async throws {
        let place = place
        try place.file("a", "")
        let path = place.path("a")
        let pattern = try PatternFile(at: path, count: 6 << 20)
        let limit: (inout ReceiverConfiguration) -> Void = { $0.bytesPerSecond = 4 << 20 }
        try await ReceiverSite.with(limit) { site in
            try place.configure("put", at: site.url)
            try await place.ferry("add", path)
            let process = try place.start(through: Privilege.without, ["run", "--exit-when-idle"])
            try await site.log.wait { $0.bytes >= 1 << 20 }
            // The permission of the parent folder is removed. The file itself does not change.
            try #require(chmod(place.path(""), 0) == 0)
            defer { chmod(place.path(""), 0o700) }
            #expect(try await process.ending() == .exited(0), "\(process.errors.text)")
            #expect(pattern.firstDifference(from: Array(try #require(site.content("a")))) == nil)
        }
    }

    @Test(.enabled(if: Privilege.isRoot && Privilege.has("setpriv"), "becomes another user: needs root"))
    func `F5 another user's file fails, and the user's own is uploaded`() async throws {
        let place = place
        let another = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let theirs = try place.file("theirs", "secret")
        try place.file("own", "open")
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            #expect(await ChildProcess.succeeds("chown", "-R", "65534:65534", place.directory.path))
            let added = try await run("add", theirs, place.path("own"), through: another)
            try #require(added.ending == .exited(0), "\(added.errors)")
            try #require(chown(theirs, 0, 0) == 0)
            try #require(chmod(theirs, 0o600) == 0)
            let result = try await run("run", "--exit-when-idle", through: another)
            #expect(result.ending == .exited(1))
            #expect(result.output.contains("\(theirs): permission denied; \(Self.nextStep)"))
            #expect(result.lines.last == "1 done, 1 failed")
            #expect(site.content("own") == Data("open".utf8))
            #expect(site.content("theirs") == nil)
        }
    }
}
