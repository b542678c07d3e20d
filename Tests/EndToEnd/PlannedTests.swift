import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests `--after`, `--at` and `--batch`.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct PlannedTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func noServer() throws { try place.configure("put", at: "http://127.0.0.1:9/box/") }

    @Test func `a batch is paused alone while other uploads run`() async throws {
        let gate = Gate()
        let server = try HostileServer.answering(201, after: gate)
        defer { server.stop() }
        let open = Gate()
        open.open()
        let other = try HostileServer.answering(201, after: open)
        defer { other.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", try place.file("a"), "--batch", "night")
        try await place.ferry("add", try place.file("b"), "--to", "put+" + other.url("/"))
        try await place.withEngine { _ in
            try await server.wait { $0.count == 1 }
            let pause = try await place.ferry("pause", "--batch", "night")
            #expect(pause.output == "1 paused; uploads added to night later are paused too\n")
            #expect(try await place.ferry("wait", "2").ending == .exited(0))
            let late = try await place.ferry("add", try place.file("c"), "--batch", "night")
            #expect(
                late.output.hasSuffix("; paused as batch night is: `ferry resume --batch night`\n"),
                "\(late.output)\(late.errors)")
            #expect(try await place.list().map(\.state) == ["paused", "done", "paused"])
            let listed = try await place.ferry("list", "--json", "--batch", "night")
            #expect(try UploadLine.all(in: listed.lines).map(\.batch) == ["night", "night"])
            #expect(try await place.ferry("list").lines.count { $0.hasSuffix("(batch night)") } == 2)
            gate.open()
            try await place.ferry("resume", "--batch", "night")
            #expect(try await place.ferry("wait", "--batch", "night").ending == .exited(0))
        }
    }

    @Test func `one after the other is sent in that order`() async throws {
        let place = place
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            try await place.ferry("add", try place.file("a"))
            try await place.ferry("pause", "1")
            let added = try await place.ferry("add", try place.file("b"), "--after", "1")
            #expect(added.output == "added 1 file, 8 B, to here; to start after 1\n", "\(added.errors)")
            try await place.ferry("add", try place.file("c"), "--after", "1,2-9")
            #expect(try await place.list().map(\.after) == [nil, [1], [1, 2]])
            try await place.ferry("resume", "1")
            let run = try await place.ferry("run", "--exit-when-idle", "--json")
            #expect(run.ending == .exited(0), "\(run.errors)")
            let done = try UploadLine.all(in: run.lines).filter { $0.state == "done" }
            #expect(done.map(\.id) == [1, 2, 3])
        }
    }

    @Test func `a run ends when an upload waits for a failed one, and names the upload`() async throws {
        let gate = Gate()
        gate.open()
        let server = try HostileServer.answering(403, after: gate)
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", try place.file("a"))
        try await place.ferry("add", try place.file("b"), "--after", "1")
        try await place.ferry("add", try place.file("c"), "--after", "2")
        let run = try await place.ferry("run", "--exit-when-idle")
        #expect(run.ending == .exited(1))
        #expect(run.output.contains("2  waits for 1, which failed; `ferry retry 1`"), "\(run.output)")
        #expect(run.output.contains("3  waits for 2, which does not start"))
        let wait = try await place.ferry("wait", "3", "--json")
        #expect(wait.ending == .exited(1), "\(wait.errors)")
        #expect(wait.output.contains(#""event":"blocked""#))
        #expect(wait.output.contains(#""error":"waits for 2, which does not start""#))
    }

    @Test func `wait ends when what an upload waits for fails`() async throws {
        let gate = Gate()
        let server = try HostileServer.answering(403, after: gate)
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", try place.file("a"))
        try await place.ferry("add", try place.file("b"), "--after", "1")
        try await place.withEngine { _ in
            try await server.wait { $0.count == 1 }
            let wait = try place.start("wait", "2")
            try await Eventually.holds("a follower") {
                try await place.ferry("status").output.contains("1 screen attached")
            }
            gate.open()
            #expect(try await wait.ending() == .exited(1))
            #expect(wait.output.text.contains("2  waits for 1, which failed"))
        }
    }

    @Test func `a start time to come is shown, and retry does not wait for it`() async throws {
        let place = place
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            let added = try await place.ferry("add", try place.file("a"), "--at", "2099-01-01T06:00")
            #expect(
                added.output == "added 1 file, 8 B, to here; to start at 2099-01-01 06:00\n",
                "\(added.errors)")
            #expect(try await place.ferry("list").output.contains("(at 2099-01-01 06:00)"))
            #expect(try await place.list().first?.startsAt?.hasPrefix("209") == true)
            try await place.ferry("retry", "--all")
            #expect(try await place.list().first?.startsAt != nil)
            try await place.ferry("retry", "1")
            #expect(try await place.list().first?.startsAt == nil)
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        }
    }

    @Test(arguments: [[], ["--dry-run"]])
    func `programs read when it starts, after what, and its batch`(words: [String]) async throws {
        try noServer()
        try await place.ferry("add", try place.file("a"))
        let plan = ["--at", "2099-01-01T06:00:00Z", "--after", "1", "--batch", "day"]
        let result = try await Workplace.result(
            of: place.start(["add", try place.file("b"), "--json"] + plan + words))
        #expect(result.ending == .exited(0), "\(result.errors)")
        for part in [#""after":[1]"#, #""batch":"day""#, #""startsAt":"2099-01-01T06:00:00Z""#] {
            #expect(result.output.contains(part), "\(result.output)")
        }
    }

    @Test func `a start time that is past is reported, and nothing waits for it`() async throws {
        try noServer()
        let added = try await place.ferry("add", try place.file("a"), "--at", "2001-01-01 06:00")
        #expect(added.ending == .exited(0), "\(added.errors)")
        #expect(added.output.hasSuffix("; 2001-01-01 06:00 is past, so it is ignored\n"))
        #expect(try await place.list().first?.startsAt == nil)
        let json = try await place.ferry("add", try place.file("b"), "--at", "2001-01-01 06:00", "--json")
        #expect(json.errors == "note: 2001-01-01 06:00 is past, so it is ignored\n")
    }

    @Test(arguments: [
        (["--at", "noon"], "error: --at 'noon' is not a valid time\nhint: write 22:00, tomorrow 8:00, "),
        (["--after", "7"], "there is no upload 7"),
        (["--after", "1,,2"], "'' is not the number of an upload"),
        (["--batch", ""], "the name after --batch is empty"),
        (["--batch", "a\u{1B}b"], "has control characters"),
    ])
    func `an invalid start condition or batch name is refused with the reason, and nothing is added`(
        options: [String], reason: String
    ) async throws {
        try noServer()
        let result = try await Workplace.result(of: place.start(["add", try place.file("a")] + options))
        #expect(result.status != 0)
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(try await place.list().isEmpty)
    }

    @Test(arguments: [["pause"], ["resume"], ["retry"], ["remove"], ["list"], ["wait"]])
    func `an unknown batch is named, with those there are`(command: [String]) async throws {
        try noServer()
        try await place.ferry("add", try place.file("a"), "--batch", "day")
        let result = try await Workplace.result(of: place.start(command + ["--batch", "night"]))
        #expect(result.ending == .exited(2))
        #expect(result.errors == "error: there is no batch 'night'\nhint: there are day\n")
    }

    @Test func `a batch that has left the queue is known to the history`() async throws {
        let place = place
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url, limits: #"{ "done": 0 }"#)
            try await place.ferry("add", try place.file("a"), "--batch", "night")
            try await place.ferry("run", "--exit-when-idle")
            try await place.withEngine { _ in
                try await Eventually.holds("an empty queue") { try await place.list().isEmpty }
                let wait = try await place.ferry("wait", "--batch", "night")
                #expect(wait.ending == .exited(0), "\(wait.errors)")
            }
        }
    }
}
