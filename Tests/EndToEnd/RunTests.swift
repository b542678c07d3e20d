import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests `ferry run` with a receiver in this process.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct RunTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test(arguments: ["put", "post", "form", "tus", "resumable"])
    func `files of every size arrive unchanged`(protocolName: String) async throws {
        let sizes = [0, 1, 65_537, 3_000_017]
        let files = try sizes.map { size in
            try place.file("\(size).bin", "")
            return try PatternFile(at: place.path("\(size).bin"), count: size, seed: UInt64(size + 7))
        }
        try await ReceiverSite.with { site in
            try place.configure(protocolName, at: protocolName == "tus" ? site.tusURL : site.url)
            try await place.ferry("add", place.path("*.bin"))
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            #expect(result.lines.last == "4 done")
            let stored = try site.names().compactMap(site.content)
            #expect(stored.count == 4)
            for file in files {
                // A raw POST has no file name, so the receiver chooses one.
                #expect(
                    stored.contains { $0.count == file.count && file.firstDifference(from: Array($0)) == nil }
                )
            }
        }
    }

    @Test func `lines of JSON report a whole upload`() async throws {
        let path = try place.file("a", "hello")
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            try await place.ferry("add", path)
            let result = try await place.ferry("run", "--json", "--exit-when-idle")
            #expect(result.ending == .exited(0))
            let uploads = try UploadLine.all(in: result.lines)
            #expect(uploads.first?.state == "queued" || uploads.first?.state == "running")
            let done = try #require(uploads.last)
            #expect(done.event == "state")
            #expect(done.state == "done")
            #expect(done.confirmed == 5)
            #expect(done.attempts == 1)
            #expect(done.resent == 0)
            #expect(result.lines.last == #"{"counts":{"done":1},"event":"summary"}"#)
            #expect(site.content("a") == Data("hello".utf8))
        }
    }

    @Test func `an empty queue is idle at once`() async throws {
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0))
        #expect(result.output == "nothing to do\n")
    }

    @Test func `an upload that the user paused is no failure`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/")
        try await place.ferry("add", try place.file("a"))
        try await place.ferry("pause", "1")
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0))
        #expect(result.lines.last == "1 paused")
    }

    @Test func `a failure from before the run is named and does not fail the run`() async throws {
        let server = try HostileServer([.answer(403), .answer(201), .answer(403)])
        defer { server.stop() }
        try place.configure("put", at: server.url("/box/"))
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        try await place.ferry("add", try place.file("b"))
        let next = try await place.ferry("run", "--exit-when-idle")
        #expect(next.ending == .exited(0), "\(next.output)")
        #expect(next.errors.contains("1 failed or held before this run"))
        #expect(next.errors.contains("`ferry list --long --state failed,held` shows it"))
        // The text counts the uploads of this run, and the JSON those of the queue.
        #expect(next.lines.last == "1 done")
        #expect(try await place.ferry("run", "--exit-when-idle").lines.last == "nothing to do")
        let json = try await place.ferry("run", "--exit-when-idle", "--json")
        #expect(json.lines.contains(#"{"counts":{"done":1,"failed":1},"event":"summary"}"#), "\(json.output)")
        try await place.ferry("retry", "1")
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
    }

    @Test func `one failure makes status 1 and says why`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.answer(404)
            }
        }
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", try place.file("a"))
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(1))
        #expect(result.output.contains("failed"))
        #expect(result.output.contains("404"))
        #expect(result.lines.last == "1 failed")
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func `a signal ends it in order, with its status`(signal: Int32, status: Int32) async throws {
        let server = try HostileServer([.stall(afterBodyBytes: 1)])
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", try place.file("a"))
        let process = try place.start("run", "--json")
        try await server.wait { !$0.isEmpty }
        process.signal(signal)
        #expect(try await process.ending() == .exited(status))
        #expect(try await place.list().map(\.state) == ["queued"])
    }

    @Test func `a file that changed after it was added is held`() async throws {
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            let path = try place.file("a", "before")
            try await place.ferry("add", path)
            try place.file("a", "after, and longer")
            let held = try await place.ferry("run", "--exit-when-idle")
            #expect(held.ending == .exited(1))
            let upload = try #require(try await place.list().first)
            #expect(upload.state == "held")
            #expect(upload.hint == "retry sends it as it is now")
            try await place.ferry("retry", "1")
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
            #expect(site.content("a") == Data("after, and longer".utf8))
        }
    }

    @Test func `a file that is gone fails and is named`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/")
        let path = try place.file("gone")
        try await place.ferry("add", path)
        try FileManager.default.removeItem(atPath: path)
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(1))
        #expect(result.output.contains("\(path): no such file"))
    }

    @Test func `a broken connection is retried until the file is there`() async throws {
        let server = try HostileServer([
            .reset(afterBodyBytes: 100), .close(afterBodyBytes: 1000), .answer(503), .answer(201),
        ])
        defer { server.stop() }
        try place.file("a", "")
        // The file is larger than the socket buffers. Otherwise its whole body might be sent, and Ferry would look for
        // the file before it sends it again.
        _ = try PatternFile(at: place.path("a"), count: 24 << 20)
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", place.path("a"))
        let result = try await place.ferry("run", "--json", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        // A wait may end before the next line is printed, so only the number of attempts is certain.
        let uploads = try UploadLine.all(in: result.lines)
        #expect(uploads.last?.attempts == 4)
        #expect(server.requests.last?.isComplete == true)
    }

    @Test func `a form's fields and lists of values are sent with the file`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        try place.configure(
            "form", at: server.url("/"),
            more: #", "field": "photo", "parameters": { "album": "May", "tags": ["raw", "new"] }"#)
        try await place.ferry("add", "--field", "title=A=B", try place.file("a.txt", "hello"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        let body = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
        for part in ["name=\"album\"\r\n\r\nMay\r\n", "name=\"title\"\r\n\r\nA=B\r\n"] {
            #expect(body.contains(part))
        }
        #expect(body.components(separatedBy: "name=\"tags\"").count == 3)
        #expect(body.contains("name=\"photo\"; filename=\"a.txt\""))
    }
}
