import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests watched folders, whose files `ferry run` uploads.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct WatchTests {
    private let place: Workplace
    private let out: String

    init() throws {
        place = try Workplace()
        out = try place.folder("out")
    }

    private func configure(_ site: ReceiverSite, watch: String = "", limits: String = "{}") throws {
        try place.configure(
            """
            { "destinations": {
                "sure": { "url": "\(site.tusURL)", "protocol": "tus", "checksum": "sha-256" },
                "unsure": { "url": "\(site.url)", "protocol": "put", "checksum": "none" } },
              "defaultDestination": "sure", "retry": { "base": 0.01, "cap": 0.05 }, "limits": \(limits),
              "watch": [\(watch)] }
            """)
    }

    private func watch(_ more: String = "") -> String { #"{ "folder": "\#(out)", "settle": 0.1\#(more) }"# }

    private func write(_ name: String, _ text: String = "contents") throws {
        try place.directory.write(Array(text.utf8), to: "out/" + name)
    }

    private func names(_ folder: String = "out") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.directory.path(folder)).sorted()
    }

    /// Uploads all files in the folder.
    @discardableResult
    private func run() async throws -> CommandResult {
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.errors)")
        return result
    }

    @Test func `existing files are sent, unfinished and hidden ones stay, and folders need --recursive`()
        async throws
    {
        try await ReceiverSite.with { site in
            try configure(site)
            for name in ["a", "b.part", ".hidden", "day3/c"] { try write(name) }
            let words = ["run", "--watch", out, "--settle", "0.1", "--exit-when-idle"]
            #expect(try await Workplace.result(of: try place.start(words)).ending == .exited(0))
            #expect(try await place.list().map(\.name) == ["a"])
            #expect(
                try await Workplace.result(of: try place.start(words + ["--recursive"])).ending == .exited(0))
            #expect(try await place.list().map(\.name) == ["a", "day3/c"])
            #expect(try site.names() == ["a", "day3"])
            #expect(site.content("day3/c") != nil)
        }
    }

    @Test func `a file that appears during the run is sent if its name matches the patterns`() async throws {
        try await ReceiverSite.with { site in
            try configure(site, watch: watch(#", "include": ["*.mov"], "exclude": ["raw*"]"#))
            let run = try place.start("run")
            defer { run.signal(9) }
            try await Eventually.holds("a watched folder") {
                try await place.ferry("status").output.contains("watches  \(out), to sure, whole after 0.1 s")
            }
            let status = try await place.ferry("status", "--json").output
            #expect(
                status.contains(
                    #""watched":[{"after":"keep","folder":"\#(out)","inUse":0,"settle":0.1,"settling":0,"there":true,"to":"sure"}]"#
                ),
                "\(status)")
            for name in ["raw.mov", "notes.txt"] { try write(name) }
            try write("film.mov.part", "whole")
            try FileManager.default.moveItem(atPath: out + "/film.mov.part", toPath: out + "/film.mov")
            try await site.log.wait { $0.finished == 1 }
            #expect(site.content("film.mov") == Data("whole".utf8))
            try await Eventually.holds("a line in the report") {
                run.errors.text.contains("note: added from \(out): film.mov")
            }
        }
    }

    @Test(arguments: ["watched.jsonl", "history.jsonl", nil] as [String?])
    func `a sent file is not sent again by the next engine, even if a state file was lost`(
        lost: String?
    ) async throws {
        try await ReceiverSite.with { site in
            try configure(site, watch: watch(), limits: #"{ "done": 0 }"#)
            for name in ["a", "b"] { try write(name) }
            try await run()
            #expect(site.log.totals.finished == 2)
            if let lost { try FileManager.default.removeItem(atPath: place.state + "/" + lost) }
            try write("c")
            try await run()
            #expect(try site.names() == ["a", "b", "c"])
            #expect(site.log.totals.finished == 3)
        }
    }

    @Test func `a new version is sent too, and a version that the user removed does not come back`()
        async throws
    {
        try await ReceiverSite.with { site in
            try configure(site, watch: watch())
            try write("a", "one")
            try await run()
            try write("a", "two!")
            try await run()
            #expect(
                try site.names().compactMap { site.content($0) }.sorted { $0.count < $1.count }
                    == [Data("one".utf8), Data("two!".utf8)])
            try await place.ferry("remove", "--all")
            try await run()
            #expect(site.log.totals.finished == 2)
        }
    }

    @Test func `a file that changes before it is sent goes in the version that is whole`() async throws {
        try place.configure(
            """
            { "destinations": { "away": { "url": "http://127.0.0.1:9/", "protocol": "put" } }, "watch": [\(watch())] }
            """)
        try write("a", "early")
        let run = try place.start("run")
        defer { run.signal(9) }
        try await Eventually.holds("an upload") { try await place.list().map(\.size) == [5] }
        try write("a", "late, and longer")
        try await Eventually.holds("the same upload of another version") {
            try await place.list().map(\.size) == [16]
        }
    }

    @Test func `a file that is replaced while it is sent is sent in both versions`() async throws {
        try await ReceiverSite.with {
            $0.bytesPerSecond = 400_000
        } _: { site in
            try configure(site, watch: watch())
            let versions = ["1", "22"].map { String(repeating: $0, count: 400_000) }
            try write("a", versions[0])
            let run = try place.start("run")
            defer { run.signal(9) }
            try await site.log.wait { $0.bytes > 0 }
            try write("b.part", versions[1])
            try FileManager.default.removeItem(atPath: out + "/a")
            try FileManager.default.moveItem(atPath: out + "/b.part", toPath: out + "/a")
            try await site.log.wait { $0.finished == 2 }
            #expect(
                Set(try site.names().compactMap { site.content($0) }) == Set(versions.map { Data($0.utf8) }))
        }
    }

    @Test(arguments: [0, 1000])
    func `a file is deleted when the server confirmed it, however soon its upload leaves the queue`(kept: Int)
        async throws
    {
        try await ReceiverSite.with { site in
            try configure(site, watch: watch(#", "after": "delete""#), limits: #"{ "done": \#(kept) }"#)
            for name in ["a", "b"] { try write(name) }
            try await run()
            #expect(try names() == [])
            #expect(try site.names() == ["a", "b"])
        }
    }

    @Test func `without a digest the file stays, which is reported once`() async throws {
        try await ReceiverSite.with { site in
            try configure(site, watch: watch(#", "to": "unsure", "after": "delete""#))
            try write("a")
            let first = try await run()
            #expect(first.errors.contains("\(out)/a stays: unsure reported no digest"))
            #expect(try names() == ["a"])
            #expect(!(try await run().errors.contains("stays")))
            #expect(site.log.totals.finished == 1)
        }
    }

    @Test func `a file that the user added stays in the folder`() async throws {
        try await ReceiverSite.with { site in
            try configure(site, watch: watch(#", "after": "delete""#))
            try write("mine")
            try await place.ferry("add", out + "/mine")
            try write("theirs")
            try await run()
            #expect(try names() == ["mine"])
            #expect(site.log.totals.finished == 2)
        }
    }

    @Test func `it is moved with its folders, and what was there keeps its name`() async throws {
        let sent = place.directory.path("sent")
        try await ReceiverSite.with { site in
            try configure(
                site, watch: watch(#", "recursive": true, "to": "unsure", "after": { "move": "\#(sent)" }"#))
            try write("day3/a", "new")
            try place.directory.write(Array("old".utf8), to: "sent/day3/a")
            try await run()
            #expect(try names("sent/day3") == ["a", "a (2)"])
            #expect(FileManager.default.contents(atPath: sent + "/day3/a (2)") == Data("new".utf8))
            #expect(try names("out/day3") == [])
        }
    }

    @Test func `a file that cannot be moved stays, is reported once a run, and delays nothing`() async throws
    {
        try place.directory.write([0], to: "sent")
        try await ReceiverSite.with { site in
            try configure(site, watch: watch(#", "after": { "move": "\#(place.directory.path("sent"))" }"#))
            try write("a")
            for _ in 1...2 {
                let result = try await run()
                #expect(result.errors.components(separatedBy: "/a was uploaded and stays: ").count == 2)
            }
            #expect(try names() == ["a"])
            #expect(site.log.totals.finished == 1)
        }
    }

    @Test func `a file belongs to the first folder that it fits`() async throws {
        try await ReceiverSite.with { site in
            try configure(
                site, watch: watch(#", "include": ["*.mov"], "to": "unsure""#) + "," + watch())
            for name in ["a.mov", "b.wav"] { try write(name) }
            try await run()
            let destinations = Dictionary(
                uniqueKeysWithValues: try await place.list().map { ($0.name, $0.destination) })
            #expect(destinations == ["a.mov": "unsure", "b.wav": "sure"])
        }
    }

    @Test func `killed again and again, it sends every file once and deletes it then`() async throws {
        try await ReceiverSite.with { site in
            try configure(site, watch: watch(#", "after": "delete""#))
            for number in 0..<60 { try write("\(number)", String(repeating: "\(number) ", count: 5000)) }
            for kill in 1...6 {
                let run = try place.start("run")
                // The kills come at different times: before the first file has arrived, and in the middle.
                try await site.log.wait { $0.created >= kill * 6 }
                run.signal(9)
                _ = try await run.ending()
            }
            try await run()
            #expect(try names() == [])
            #expect(try Set(site.names()) == Set((0..<60).map(String.init)))
            for number in 0..<60 {
                #expect(site.content("\(number)") == Data(String(repeating: "\(number) ", count: 5000).utf8))
            }
        }
    }

    @Test func `the configuration is listed and checked`() async throws {
        try place.configure(
            """
            { "destinations": { "one": { "url": "https://host.test/in/", "protocol": "put" } },
              "watch": [{ "folder": "\(out)" },
                { "folder": "/nowhere/out", "to": "one", "include": ["*.mov", "*.wav"], "exclude": ["raw"],
                  "recursive": true, "settle": 0.5, "after": { "move": "/nowhere/sent" } }] }
            """)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0))
        #expect(result.output.contains("watch          \(out): to one; whole after 5 s\n"))
        #expect(
            result.output.contains(
                "watch          /nowhere/out: to one; only *.mov *.wav; not raw; with its folders; whole after 0.5 s; then moved to /nowhere/sent\n"
            ))
        #expect(
            result.errors.contains(
                "warning: watch: /nowhere/out is not there; it is looked for while the engine runs"))
    }

    @Test func `programs read what is watched, run and limited, and what is wrong with it`() async throws {
        try place.configure(
            """
            { "destinations": {
                "one": { "url": "https://host.test/in/", "protocol": "put", "limits": { "bandwidth": "1M" } } },
              "hooks": { "idle": ["/nowhere/program", "-x"] },
              "limits": { "perHost": 2, "timetable": [{ "days": "fri-mon", "from": "22:00", "bandwidth": "off" }] },
              "watch": [{ "folder": "/nowhere/out", "exclude": ["raw"], "after": "delete" }] }
            """)
        let result = try await place.ferry("config", "--json")
        #expect(result.ending == .exited(0), "\(result.errors)")
        for part in [
            #""hooks":[{"command":["/nowhere/program","-x"],"event":"idle","there":false,"timeout":10}]"#,
            #""limits":[{"scope":"total","timetable":[{"days":["sun","mon","fri","sat"],"from":"22:00","to":"24:00"}]},"#
                + #"{"bandwidth":1048576,"name":"one","scope":"destination","timetable":[]}]"#,
            #""perHost":2"#,
            #""warnings":["watch: /nowhere/out is not there; it is looked for while the engine runs"]"#,
            #""watch":[{"after":"delete","exclude":["raw"],"folder":"/nowhere/out","include":[],"recursive":false,"settle":5,"there":false,"to":"one"}]"#,
        ] { #expect(result.output.contains(part), "\(part) in \(result.output)") }
        let text = try await place.ferry("config")
        #expect(
            text.output.contains(
                """
                limit          all uploads: no limit mon,fri-sun 22:00-24:00; else no limit
                limit          uploads to one: 1 MiB/s

                """), "\(text.output)")
    }

    @Test(
        arguments: [
            (#"{ "folder": "out" }"#, "from / or ~ on"),
            (#"{ "folder": "/out", "to": "two" }"#, "watch.0.to"),
            (#"{ "folder": "/out", "settle": 0 }"#, "watch.0.settle: expected seconds, from 0.1"),
            (#"{ "folder": "/out", "after": "burn" }"#, #"keep, delete or { "move": "/a/folder" }"#),
            (#"{ "folder": "/out", "after": { "move": "out" } }"#, "keep, delete or"),
            (
                #"{ "folder": "/out", "after": { "move": "/out" } }"#,
                "cannot be moved into the folder they are in"
            ),
            (#"{ "folder": "/out", "to": "https://host.test/one" }"#, "end the address with a slash"),
            (#"{ "folder": "/out", "recursively": true }"#, "recursive"),
        ])
    func `an error is reported before anything starts`(watch: String, told: String) async throws {
        try place.configure(
            #"{ "destinations": { "one": { "url": "https://host.test/in/", "protocol": "put" } }, "watch": [\#(watch)] }"#
        )
        for command in ["config", "run"] {
            let result = try await place.ferry(command)
            #expect(result.ending == .exited(2))
            #expect(result.errors.contains(told), "\(result.errors)")
        }
    }

    @Test func `a folder that is not there is reported, and delays nothing`() async throws {
        try place.directory.write([0], to: "out/file")
        try place.configure(
            """
            { "destinations": { "one": { "url": "http://127.0.0.1:9/", "protocol": "put" } },
              "watch": [{ "folder": "\(out)/none" }, { "folder": "\(out)/file" }] }
            """)
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0))
        #expect(result.errors.contains("note: \(out)/none is not there; it is looked for"))
        #expect(result.errors.contains("note: \(out)/file is not a folder; it is looked for"))
    }

    @Test(arguments: [["--exit-when-idle"], ["--detach"]])
    func `a folder that is named with the command must be there, and be one`(words: [String]) async throws {
        try place.configure("put", at: "http://127.0.0.1:9/")
        try place.directory.write([0], to: "out/file")
        for (name, told) in [
            ("none", "error: there is no folder \(out)/none to watch\nhint: check its name;"),
            ("file", "error: \(out)/file is not a folder\nhint: name the folder it is in"),
        ] {
            let result = try await Workplace.result(
                of: try place.start(["run", "--watch", "\(out)/\(name)"] + words))
            #expect(result.ending == .exited(2))
            #expect(result.errors.hasPrefix(told), "\(result.errors)")
        }
    }

    @Test func `a background engine watches, and one that runs already says that it does not`() async throws {
        try await ReceiverSite.with { site in
            try configure(site)
            let words = ["run", "--detach", "--watch", out, "--settle", "0.1", "--after", "delete"]
            let first = try await Workplace.result(of: try place.start(words))
            let number = try #require(first.output.firstMatch(of: /process (\d+)/), "\(first.errors)").1
            let process = try #require(pid_t(number))
            defer { kill(process, SIGKILL) }
            try write("a")
            try await Eventually.holds("an empty folder") { try names() == [] }
            #expect(try site.names() == ["a"])
            let second = try await Workplace.result(of: try place.start(words))
            #expect(second.ending == .exited(75))
            #expect(second.errors.contains("in `watch` of the configuration"))
        }
    }

    @Test func `the query of an address, which may be a signature, is neither shown nor logged`() async throws
    {
        try await ReceiverSite.with { site in
            // For a form the receiver reports no digest.
            let address = "form+\(site.url)?sig=CANARY"
            try place.configure(
                #"{ "watch": [{ "folder": "\#(out)", "settle": 0.1, "to": "\#(address)", "after": "delete" }] }"#
            )
            try write("a")
            let result = try await run()
            #expect(result.errors.contains("a stays: \(site.url) reported no digest"), "\(result.errors)")
            #expect(!result.errors.contains("CANARY"))
            for name in ["ferry.log", "watched.jsonl"] {
                let text = try String(contentsOfFile: place.state + "/" + name, encoding: .utf8)
                #expect(text.contains(site.url) && !text.contains("CANARY"), "\(name): \(text)")
            }
            let config = try await place.ferry("config")
            #expect(config.output.contains("to \(site.url)") && !config.output.contains("CANARY"))
        }
    }

    @Test func `options of a watch need a folder`() async throws {
        for words in [["--to", "x"], ["--settle", "1"], ["--after", "keep"], ["--recursive"]] {
            let result = try await Workplace.result(of: try place.start(["run"] + words))
            #expect(result.status != 0)
            #expect(result.errors.contains("--watch"))
        }
    }
}
