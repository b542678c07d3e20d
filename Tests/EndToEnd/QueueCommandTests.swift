import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests commands on a queue without an engine.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct QueueCommandTests {
    private let place: Workplace

    init() async throws { place = try await .withThreeUploads() }

    private func states() async throws -> [String] { try await place.list().map(\.state) }
    private func names() async throws -> [String] { try await place.list().map(\.name) }

    @Test func `a list for people has a line for each upload`() async throws {
        let lines = try await place.ferry("list").lines
        #expect(lines.count == 3)
        #expect(lines.first?.split(separator: " ").map(String.init) == ["1", "queued", "1B", "a"])
    }

    @Test func `an empty list says how to fill it, where programs do not read it`() async throws {
        let empty = try Workplace()
        let result = try await empty.ferry("list")
        #expect(result.ending == .exited(0))
        #expect(result.output.isEmpty)
        #expect(result.errors == "the queue is empty; `ferry add FILE…` fills it\n")
        #expect(try await empty.ferry("list", "--json").output.isEmpty)
    }

    @Test func `each line of JSON is an object with the documented names`() async throws {
        let always: Set<String> = [
            "event", "id", "path", "name", "destination", "url", "protocol", "size", "sent", "confirmed",
            "state",
            "attempts", "resumes", "resent",
        ]
        for line in try await place.ferry("list", "--json").lines {
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(Set(object.keys) == always)
            #expect(object["event"] as? String == "upload")
        }
    }

    @Test func `pause and resume change those named and no other`() async throws {
        #expect(try await place.ferry("pause", "1", "3").output == "2 paused\n")
        #expect(try await states() == ["paused", "queued", "paused"])
        #expect(try await place.ferry("pause", "1").output == "0 paused\n")
        #expect(try await place.ferry("resume", "3").output == "1 resumed\n")
        #expect(try await states() == ["paused", "queued", "queued"])
        #expect(try await place.ferry("resume", "--all").output == "1 resumed\n")
        #expect(try await states() == ["queued", "queued", "queued"])
    }

    @Test func `a range changes those that are in it`() async throws {
        #expect(try await place.ferry("pause", "2-9").output == "2 paused\n")
        #expect(try await states() == ["queued", "paused", "paused"])
        #expect(try await place.ferry("resume", "1-1000000000").output == "2 resumed\n")
        #expect(try await place.ferry("move", "2-3", "top").ending == .exited(0))
        #expect(try await names() == ["b", "c", "a"])
        let none = try await place.ferry("remove", "1-2", "17-20")
        #expect(none.ending == .exited(2))
        #expect(
            none.errors
                == "error: there is no upload 17 to 20\nhint: the list of uploads shows their numbers\n")
        #expect(try await place.list().count == 3)
    }

    @Test func `commas stand between numbers, in every command`() async throws {
        #expect(try await place.ferry("pause", "1,3").output == "2 paused\n")
        #expect(try await states() == ["paused", "queued", "paused"])
        #expect(try await place.ferry("move", "2-3,1", "bottom").output == "3 moved\n")
        #expect(try await place.ferry("remove", "1-2,3").output == "3 removed\n")
    }

    @Test func `only those that were named are moved, not those that make room`() async throws {
        #expect(try await place.ferry("move", "3", "up").output == "1 moved\n")
        #expect(
            try await place.ferry("move", "3", "down", "--json").output
                == #"{"change":"moved","event":"changed","ids":[3]}"# + "\n")
    }

    @Test func `a command that leaves an upload as it is prints the reason, except with --json`() async throws
    {
        try await place.ferry("pause", "2")
        let retry = try await place.ferry("retry", "2")
        #expect(retry.output == "0 retried\n")
        #expect(retry.errors == "note: 2 is paused: `ferry resume 2` resumes it\n")
        let pause = try await place.ferry("pause", "1", "2")
        #expect(pause.output == "1 paused\n")
        #expect(pause.errors == "note: 2 is paused\n")
        #expect(try await place.ferry("pause", "--all").errors.isEmpty)
        #expect(try await place.ferry("retry", "2", "--json").errors.isEmpty)
        let move = try await place.ferry("move", "1", "up")
        #expect(move.output == "0 moved\n")
        #expect(move.errors == "note: 1 is there already\n")
    }

    @Test func `a list shows destinations if there are several`() async throws {
        #expect(!(try await place.ferry("list").output.contains("->")))
        try await place.ferry("add", place.path("a"), "--to", "http://127.0.0.1:9/other/", "--as", "z")
        #expect(
            try await place.ferry("list").lines.map { $0.split(separator: "  ").last.map(String.init) } == [
                "a -> here", "b -> here", "c -> here", "(as z)",
            ])
    }

    @Test(arguments: ["undo", "redo"])
    func `without a running engine there is nothing to undo, and the message says why`(command: String)
        async throws
    {
        try await place.ferry("pause", "1")
        let result = try await place.ferry(command)
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix("error: nothing to \(command): no engine is running\nhint: "))
        #expect(try await states() == ["paused", "queued", "queued"])
    }

    @Test func `removed uploads are gone and their files stay`() async throws {
        #expect(try await place.ferry("remove", "2").output == "1 removed\n")
        #expect(try await names() == ["a", "c"])
        #expect(FileManager.default.fileExists(atPath: place.path("b")))
        #expect(try await place.ferry("remove", "--all").output == "2 removed\n")
        #expect(try await place.list().isEmpty)
    }

    @Test func `a number is never given twice`() async throws {
        try await place.ferry("remove", "--all")
        try await place.ferry("add", place.path("a"))
        #expect(try await place.list().map(\.id) == [4])
    }

    @Test(arguments: [
        (["3", "up"], ["a", "c", "b"]), (["1", "down"], ["b", "a", "c"]), (["3", "top"], ["c", "a", "b"]),
        (["1", "bottom"], ["b", "c", "a"]), (["2", "3", "top"], ["b", "c", "a"]),
        (["1", "up"], ["a", "b", "c"]),
    ])
    func `moving changes the order`(words: [String], expected: [String]) async throws {
        let result = try await Workplace.result(of: try place.start(["move"] + words))
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(try await names() == expected)
    }

    @Test(arguments: ["pause", "resume", "retry", "remove"])
    func `a number that is not there changes nothing`(command: String) async throws {
        let result = try await place.ferry(command, "1", "17")
        #expect(result.ending == .exited(2))
        #expect(
            result.errors == "error: there is no upload 17\nhint: the list of uploads shows their numbers\n")
        #expect(try await states() == ["queued", "queued", "queued"])
    }

    @Test(arguments: [
        ["pause"], ["pause", "1", "--all"], ["move", "1"], ["move", "x", "up"], ["move", "1", "sideways"],
        ["pause", "first"], ["pause", "3-1"], ["remove", "1-"], ["move", "2-x", "up"],
        ["list", "--unknown"],
    ])
    func `wrong usage has status 2 and says what is right`(words: [String]) async throws {
        let result = try await Workplace.result(of: try place.start(words))
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix("error: "))
        #expect(result.output.isEmpty)
    }

    @Test func `a failed upload is retried when that is asked`() async throws {
        let server = try HostileServer([.answer(403), .answer(201)])
        defer { server.stop() }
        try await place.ferry("remove", "--all")
        try place.configure("put", at: server.url("/box/"))
        try await place.ferry("add", place.path("a"))
        let refused = try await place.ferry("run", "--exit-when-idle")
        #expect(refused.ending == .exited(1))
        let before = try #require(try await place.list().first)
        #expect(["failed", "held"].contains(before.state))
        #expect(before.status == 403)
        #expect(before.error?.isEmpty == false)
        #expect(try await place.ferry("retry", "\(before.id)").output == "1 retried\n")
        #expect(try await states() == ["queued"])
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        #expect(try await states() == ["done"])
    }

    @Test func `version and help go where they belong`() async throws {
        let version = try await place.ferry("--version")
        #expect(version.ending == .exited(0))
        #expect(version.output.split(separator: ".").count == 3)
        let help = try await place.ferry("--help")
        #expect(help.ending == .exited(0))
        #expect(help.output.contains("Exit status:"))
    }
}
