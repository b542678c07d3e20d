import FerryTestSupport
import Foundation
import Testing

/// Tests `ferry limit` and the limits of the configuration.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct LimitTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// A line of `ferry limit --json`.
    private struct Line: Decodable, Equatable {
        var event = "limit"
        var scope: String
        var name: String?
        var bandwidth: Int?
        var from: String
        var until: Date?
    }

    private func limits(_ words: String...) async throws -> [Line] {
        let result = try await Workplace.result(of: try place.start(["limit"] + words + ["--json"]))
        #expect(result.ending == .exited(0), "\(result.errors)")
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try result.lines.map { try decoder.decode(Line.self, from: Data($0.utf8)) }
    }

    /// Configures a timetable whose entries apply for whole days, so that none ends during a test.
    private func configureTimetable() throws {
        try place.configure(
            """
            { "destinations": {
                "films": { "url": "http://127.0.0.1:9/films/", "protocol": "put", "limits": { "bandwidth": "1M" } },
                "photos": { "url": "http://127.0.0.1:9/photos/", "protocol": "put" } },
              "limits": { "bandwidth": "20M", "timetable": [
                { "days": "mon-wed, THU", "bandwidth": 2000000 },
                { "days": "fri-sun", "from": "00:00", "to": "24:00", "bandwidth": 2000000 } ] } }
            """)
    }

    @Test func `without a limit the command prints that there is none`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let result = try await place.ferry("limit")
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output == "total limit: no limit\n")
        #expect(try await limits() == [Line(scope: "total", from: "nothing")])
    }

    @Test func `each limit is printed with its origin`() async throws {
        try configureTimetable()
        try await place.ferry("limit", "800K", "--to", "photos")
        let result = try await place.ferry("limit")
        #expect(
            result.lines == [
                "total limit: 1.9 MiB/s (timetable)",
                "limit for uploads to films: 1 MiB/s (configuration)",
                "limit for uploads to photos: 800 KiB/s (set by `ferry limit`)",
            ])
        #expect(
            try await limits() == [
                Line(scope: "total", bandwidth: 2_000_000, from: "timetable"),
                Line(scope: "destination", name: "films", bandwidth: 1 << 20, from: "configuration"),
                Line(scope: "destination", name: "photos", bandwidth: 800 << 10, from: "command"),
            ])
    }

    @Test func `a limit set without an engine is in effect in the next one, until it is as configured`()
        async throws
    {
        try configureTimetable()
        let set = try await place.ferry("limit", "3M")
        #expect(set.output == "total limit: 3 MiB/s (set by `ferry limit`)\n")
        #expect(
            try await place.ferry("limit", "off", "--to", "films").output
                == "limit for uploads to films: no limit (set by `ferry limit`)\n")
        let engine = try place.start("run")
        try await Eventually.holds("no engine") { UnixSocket.accepts(place.state + "/control") }
        #expect(try await limits().map(\.bandwidth) == [3 << 20, nil])
        let auto = try await place.ferry("limit", "auto")
        #expect(auto.output == "total limit: 1.9 MiB/s (timetable)\n")
        #expect(try await place.ferry("undo").ending == .exited(0))
        #expect(try await limits("auto", "--to", "films").map(\.bandwidth) == [1 << 20])
        let status = try await place.ferry("status")
        #expect(status.lines.contains("limits   4 at once, 3 MiB/s, uploads to films 1 MiB/s"))
        engine.signal(SIGTERM)
        _ = try await engine.ending()
        #expect(try await limits().map(\.from) == ["command", "configuration"])
    }

    @Test func `status shows until when a limit is in effect, and what else is limited`() async throws {
        // One entry applies now, and the other one in at most twelve hours.
        try place.configure(
            "put", at: "http://127.0.0.1:9/box/", more: #", "limits": { "bandwidth": "1M" }"#,
            limits: """
                { "timetable": [ { "from": "00:00", "to": "12:00", "bandwidth": "2M" },
                                 { "from": "12:00", "bandwidth": "3M" } ] }
                """)
        let engine = try place.start("run")
        try await Eventually.holds("no engine") { UnixSocket.accepts(place.state + "/control") }
        let result = try await place.ferry("status", "--json")
        let status = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect([2 << 20, 3 << 20].contains(status["bandwidth"] as? Int))
        let until = try Date(try #require(status["bandwidthUntil"] as? String), strategy: .iso8601)
        #expect((-60...13 * 3600).contains(until.timeIntervalSinceNow))
        let others = try #require(status["limits"] as? [[String: Any]])
        #expect(others.count == 1)
        #expect(others.first?["scope"] as? String == "destination")
        #expect(others.first?["name"] as? String == "here")
        #expect(others.first?["bandwidth"] as? Int == 1 << 20)
        let text = try await place.ferry("status").output
        #expect(text.contains(/limits +4 at once, [23] MiB\/s until (12|00):00, uploads to here 1 MiB\/s\n/))
        engine.signal(SIGTERM)
        _ = try await engine.ending()
    }

    @Test func `a destination is held back alone, until its limit is lifted while it sends`() async throws {
        let server = try HostileServer([.answer(201), .answer(201)])
        defer { server.stop() }
        try place.configure(
            """
            { "destinations": {
                "slow": { "url": "\(server.url("/slow/"))", "protocol": "put", "limits": { "bandwidth": 1000 } },
                "fast": { "url": "\(server.url("/fast/"))", "protocol": "put" } } }
            """)
        let file = try place.file("a", String(repeating: "x", count: 2 << 20))
        try await place.ferry("add", file, "--to", "slow")
        let engine = try place.start("run", "--exit-when-idle")
        try await server.wait { $0.contains { $0.bodyByteCount > 0 } }
        try await place.ferry("add", file, "--to", "fast")
        // With its limit, the first upload would take half an hour.
        let requests = try await server.wait {
            $0.contains { $0.target == "/fast/a" && $0.isComplete }
        }
        let slow = try #require(requests.first { $0.target == "/slow/a" })
        #expect(slow.bodyByteCount < 1 << 20)
        try await place.ferry("limit", "off", "--to", "slow")
        #expect(try await engine.ending() == .exited(0))
        #expect(server.requests.allSatisfy { $0.bodyByteCount == 2 << 20 })
    }

    @Test func `a batch is held back alone, until its limit is lifted while it sends`() async throws {
        let server = try HostileServer([.answer(201), .answer(201)])
        defer { server.stop() }
        try place.configure("put", at: server.url("/box/"))
        let content = String(repeating: "x", count: 2 << 20)
        try await place.ferry("add", try place.file("raw", content), "--batch", "raw")
        try await place.ferry("limit", "1000", "--batch", "raw")
        let engine = try place.start("run", "--exit-when-idle")
        try await server.wait { $0.contains { $0.bodyByteCount > 0 } }
        try await place.ferry("add", try place.file("other", content))
        // With its limit, the batch would take half an hour.
        let requests = try await server.wait {
            $0.contains { $0.target == "/box/other" && $0.isComplete }
        }
        let raw = try #require(requests.first { $0.target == "/box/raw" })
        #expect(raw.bodyByteCount < 1 << 20)
        try await place.ferry("limit", "off", "--batch", "raw")
        #expect(try await engine.ending() == .exited(0))
        #expect(server.requests.allSatisfy { $0.bodyByteCount == 2 << 20 })
    }

    @Test func `a batch that is in the queue is limited, and one that is not is named`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let result = try await place.ferry("limit", "1M", "--batch", "raw")
        #expect(result.ending == .exited(2))
        #expect(
            result.errors
                == "error: there is no batch 'raw'\nhint: a batch begins when the first upload is added to it\n"
        )
        try await place.ferry("add", try place.file("a"), "--batch", "raw")
        #expect(
            try await limits("1M", "--batch", "raw")
                == [Line(scope: "batch", name: "raw", bandwidth: 1 << 20, from: "command")])
        #expect(try await limits().map(\.scope) == ["total", "batch"])
        #expect(
            try await place.ferry("limit", "auto", "--batch", "raw").output
                == "limit for uploads of the batch raw: no limit\n")
    }

    @Test func `an unknown destination or batch is an error, even when only its limit is asked for`()
        async throws
    {
        try configureTimetable()
        let address = "put+http://127.0.0.1:9/elsewhere/"
        let strange = try await place.ferry("limit", "--to", address)
        #expect(strange.ending == .exited(2))
        #expect(
            strange.errors.hasPrefix(
                "error: there is no destination \(address)\nhint: known are films, photos\n"))
        try await place.ferry("add", try place.file("a"), "--to", address, "--batch", "raw")
        #expect(try await limits("--to", address).map(\.from) == ["nothing"])
        #expect(try await limits("--to", "photos").map(\.from) == ["nothing"])
        #expect(try await limits("--batch", "raw").map(\.from) == ["nothing"])
        let destination = try await place.ferry("limit", "--to", "film", "--json")
        #expect(destination.ending == .exited(2))
        #expect(destination.output == "")
        #expect(
            destination.errors
                == "error: there is no destination film\nhint: did you mean `films`? known are films, photos\n"
        )
        let batch = try await place.ferry("limit", "--batch", "row")
        #expect(batch.ending == .exited(2))
        #expect(batch.errors == "error: there is no batch 'row'\nhint: there are raw\n")
    }

    @Test(arguments: ["0", "0M", "0.0 KB/s"])
    func `0 may mean two things, which are named`(rate: String) async throws {
        let result = try await place.ferry("limit", rate)
        #expect(result.ending == .exited(2))
        #expect(
            result.errors.contains(
                "\(rate) is not a limit: `off` removes the limit, `ferry pause --all` stops the uploads"))
    }

    @Test func `a destination that there is not is named, with those that there are, and may be set free`()
        async throws
    {
        try configureTimetable()
        let result = try await place.ferry("limit", "1M", "--to", "film")
        #expect(result.ending == .exited(2))
        #expect(
            result.errors
                == "error: there is no destination film\nhint: did you mean `films`? known are films, photos\n"
        )
        #expect(try await place.ferry("limit", "auto", "--to", "film").ending == .exited(0))
    }

    @Test(arguments: ["fast", "-1M", "1.5X", "", "1M/h"])
    func `an invalid limit is refused with examples of valid ones`(rate: String) async throws {
        let result = try await place.ferry("limit", "--", rate)
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("20M or 800K (MiB or KiB per second), off for no limit, auto for"))
        let both = try await place.ferry("limit", "1M", "--to", "a", "--batch", "b")
        #expect(both.errors.contains("give --to or --batch, not both"))
    }

    @Test(
        arguments: [
            (
                #"{ "days": "mon-fry", "bandwidth": 1 }"#,
                #"0.days: expected days of the week such as "mon-fri""#
            ),
            (#"{ "days": "", "bandwidth": 1 }"#, "0.days: expected days of the week"),
            (#"{ "days": "mon,", "bandwidth": 1 }"#, "0.days: expected days of the week"),
            (#"{ "days": "mon-wed-fri", "bandwidth": 1 }"#, "0.days: expected days of the week"),
            (#"{ "days": ["mon"], "bandwidth": 1 }"#, "0.days: expected text"),
            (
                #"{ "from": "8:00", "bandwidth": 1 }"#,
                #"0.from: expected a time of day from "00:00" to "23:59""#
            ),
            (#"{ "from": "24:00", "bandwidth": 1 }"#, "0.from: expected a time of day"),
            (#"{ "to": "24:01", "bandwidth": 1 }"#, #"0.to: expected a time of day from "00:00" to "24:00""#),
            (#"{ "to": "12:60", "bandwidth": 1 }"#, "0.to: expected a time of day"),
            (#"{ "to": 18, "bandwidth": 1 }"#, "0.to: expected text"),
            (
                #"{ "from": "08:00" }"#,
                #"0.bandwidth: expected an amount of bytes such as 65536, "500K" or "2M", or "off""#
            ),
            (#"{ "bandwidth": 0 }"#, "0.bandwidth: expected an amount"),
            (#"{ "bandwidth": 1 }, { "bandwidth": "fast" }"#, "1.bandwidth: expected an amount"),
            (
                #"{ "bandwidth": 1, "until": "18:00" }"#,
                "0.until: expected one of bandwidth, days, from, to, not this key"
            ),
            ("5", "0: expected an object"),
        ])
    func `an error in a timetable is reported with its key`(entries: String, text: String) async throws {
        try place.configure(#"{ "limits": { "timetable": [ \#(entries) ] } }"#)
        let total = try await place.ferry("config")
        #expect(total.ending == .exited(2))
        #expect(total.errors.contains("limits.timetable.\(text)"), "\(total.errors)")
    }

    @Test func `an error in the limits of a destination is reported with its key`() async throws {
        for (limits, text) in [
            (#"{ "timetable": {} }"#, "limits.timetable: expected a list"),
            (#"{ "bandwidth": "off" }"#, "limits.bandwidth: expected an amount of bytes"),
            (
                #"{ "concurrency": 1 }"#,
                "limits.concurrency: expected one of bandwidth, timetable, not this key"
            ),
        ] {
            try place.configure("put", at: "http://127.0.0.1:9/box/", more: #", "limits": \#(limits)"#)
            let errors = try await place.ferry("config").errors
            #expect(errors.contains("destinations.here.\(text)"), "\(errors)")
        }
    }
}
