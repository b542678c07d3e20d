import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests `ferry history` after uploads have moved out of the queue.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct HistoryCommandTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private struct Line: Decodable {
        var event: String
        var id: Int
        var name: String
        var state: String
        var outcome: String
        var finished: Date
        var error: String?
    }

    private func history(_ words: String...) async throws -> [Line] {
        let result = try await Workplace.result(of: try place.start(["history", "--json"] + words))
        #expect(result.ending == .exited(0), "\(result.errors)")
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try result.lines.map { try decoder.decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func `an empty history says so where programs do not read it`() async throws {
        let result = try await place.ferry("history")
        #expect(result.ending == .exited(0))
        #expect(result.output.isEmpty)
        #expect(result.errors == "nothing has been uploaded yet\n")
        #expect(!FileManager.default.fileExists(atPath: place.state))
    }

    @Test func `history lists what was uploaded since a moment, and the sum of it`() async throws {
        try place.file("a", "12345")
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            try await place.ferry("add", place.path("a"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        }
        for moment in ["1h", "2020-01-01", "2020-01-01T00:00:00Z"] {
            #expect(try await history("--since", moment).map(\.name) == ["a"])
        }
        for moment in ["0s", "2999-01-01"] { #expect(try await history("--since", moment).isEmpty) }
        let text = try await place.ferry("history", "--since", "1h")
        #expect(text.lines.last == "1 file, 5 B")
        #expect(
            try await place.ferry("history", "--since", "0s").errors
                == "nothing has been uploaded since then\n")
    }

    @Test(arguments: ["yesterday", "2026-13-01", "-1d", ""])
    func `a moment that is none is refused`(text: String) async throws {
        #expect(try await place.ferry("history", "--since=\(text)").ending == .exited(2))
    }

    @Test func `the queue keeps the newest, the history all, and the run's summary counts all`() async throws
    {
        for number in 0..<150 { try place.file("f\(number)") }
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url, limits: #"{ "done": 10 }"#)
            try await place.ferry("add", place.path("f*"))
            let run = try await place.ferry("run", "--json", "--exit-when-idle")
            #expect(run.ending == .exited(0), "\(run.errors)")
            #expect(run.lines.last == #"{"counts":{"done":150},"event":"summary"}"#)
            #expect(!run.lines.contains { EventLine.name(of: $0) == "removed" })
            #expect(try await place.list().count <= 110)
            // The next start moves all done uploads above the limit, without a reserve for more.
            let next = try await place.ferry("run", "--exit-when-idle")
            #expect(next.ending == .exited(0))
        }
        let lines = try await history("--limit", "1000")
        #expect(Set(lines.map(\.name)) == Set((0..<150).map { "f\($0)" }))
        #expect(lines.count == 150)
        #expect(lines.allSatisfy { $0.event == "finished" && $0.outcome == "done" && $0.state == "done" })
        #expect(lines.map(\.finished) == lines.map(\.finished).sorted(by: >))
        #expect(try await history("--limit", "7").map(\.id) == lines.prefix(7).map(\.id))
        var status = stat()
        #expect(stat(place.state + "/history.jsonl", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func `a failed upload is in it once it is removed`() async throws {
        let server = try HostileServer([.answer(403)])
        defer { server.stop() }
        try place.configure("put", at: server.url("/box/"))
        try await place.ferry("add", try place.file("no"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        #expect(try await history().isEmpty)
        try await place.ferry("remove", "1")
        let line = try #require(try await history().first)
        #expect(line.outcome == "removed")
        #expect(line.name == "no")
        #expect(line.error?.isEmpty == false)
    }

    @Test func `names cannot speak to the terminal`() async throws {
        let server = try HostileServer([.answer(403)])
        defer { server.stop() }
        try place.configure("put", at: server.url("/box/"))
        let path = try place.file("x\u{1B}]0;owned\u{7}\u{202E}y")
        #expect(try await place.ferry("add", path).ending == .exited(0))
        try await place.ferry("run", "--exit-when-idle")
        try await place.ferry("remove", "--all")
        let result = try await place.ferry("history")
        #expect(result.lines.count == 2)
        #expect(
            !result.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\u{202E}" })
        let json = try await place.ferry("history", "--json")
        #expect(!json.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\u{202E}" })
    }

    @Test func `entries that a kill cut from the history are there once after the next start`() async throws {
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            for name in ["a", "b", "c"] { try await place.ferry("add", try place.file(name)) }
            try await place.ferry("run", "--exit-when-idle")
            let file = place.state + "/history.jsonl"
            let whole = try #require(FileManager.default.contents(atPath: file))
            // A kill can leave this: the second line is cut off, and the third is missing.
            let first = try #require(whole.firstIndex(of: 0x0A)) + 1
            try #require(truncate(file, off_t(first + 40)) == 0)
            #expect(try await history().count == 1)
            try await place.ferry("run", "--exit-when-idle")
        }
        #expect(try await history().map(\.name).sorted() == ["a", "b", "c"])
    }
}
