import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests the commands that `ferry run` runs when something happens.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct HookTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private var log: String {
        (try? String(contentsOfFile: place.state + "/ferry.log", encoding: .utf8)) ?? ""
    }

    /// The lines that hooks wrote into the file with this name.
    private func received(_ name: String = "received") -> [String] {
        let text = (try? String(contentsOfFile: place.directory.path(name), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private func configure(_ hooks: String, at url: String) throws {
        try place.configure(
            """
            { "destinations": { "here": { "url": "\(url)", "protocol": "put" } },
              "retry": { "base": 0.01, "cap": 0.05 }, "hooks": \(hooks) }
            """)
    }

    /// The configuration of a hook that appends its input to the file with this name.
    private func recorder(_ name: String = "received") -> String {
        #"["sh", "-c", "cat >> \"$1\"", "hook", "\#(place.directory.path(name))"]"#
    }

    private static func runs(_ id: pid_t) -> Bool {
        guard kill(id, 0) == 0 else { return false }
        let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        return stat?.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    @Test func `a command reads one line of JSON, and the last ones are run before the end`() async throws {
        try await ReceiverSite.with { site in
            try configure(#"{ "done": \#(recorder()), "idle": \#(recorder("idle")) }"#, at: site.url)
            for name in ["a", "b", "c"] { try await place.ferry("add", try place.file(name)) }
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
            let uploads = try received().map {
                try JSONDecoder().decode(UploadLine.self, from: Data($0.utf8))
            }
            #expect(uploads.map(\.event) == ["done", "done", "done"])
            #expect(Set(uploads.map(\.name)) == ["a", "b", "c"])
            #expect(uploads.allSatisfy { $0.state == "done" && $0.confirmed == 8 })
            #expect(received("idle") == [#"{"counts":{"done":3},"event":"idle"}"#])
        }
    }

    @Test func `arguments arrive as they are, secrets do not, and home is where it begins`() async throws {
        var changed = place
        for (name, value) in ["SECRET": "hunter2", "TZ": "UTC", "LC_TIME": "C", "FERRY_X": "y"] {
            changed.environment[name] = value
        }
        let place = changed
        let script = try place.directory.program(
            """
            #!/bin/sh
            for word in "$@"; do printf '<%s>' "$word"; done > "$0.words"
            env | sort > "$0.env"
            pwd > "$0.folder"
            """, at: "files/hook.sh")
        try await ReceiverSite.with { site in
            try configure(
                #"{ "done": ["\#(script)", "a b", "it's \"so\"", "$(touch x); `id`", "two\nlines", "", "-rf", "ü"] }"#,
                at: site.url)
            try await place.ferry("add", try place.file("a"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        }
        #expect(
            try String(contentsOfFile: script + ".words", encoding: .utf8)
                == "<a b><it's \"so\"><$(touch x); `id`><two\nlines><><-rf><ü>")
        let home = place.directory.path("home")
        #expect(
            try String(contentsOfFile: script + ".folder", encoding: .utf8).hasSuffix(
                "/" + (home as NSString).lastPathComponent + "\n"))
        let names = try String(contentsOfFile: script + ".env", encoding: .utf8).split(separator: "\n").map {
            String($0.prefix { $0 != "=" })
        }
        // A shell sets the last two variables itself.
        #expect(
            Set(names).subtracting(["PWD", "_", "SHLVL", "OLDPWD"]) == [
                "FERRY_EVENT", "HOME", "LC_ALL", "LC_TIME", "PATH", "TZ",
            ])
        #expect(!log.contains("hook"))
    }

    @Test func `one that fails, is not there or is killed is a line in the log and nothing else`()
        async throws
    {
        try await ReceiverSite.with { site in
            try configure(
                #"""
                { "done": [
                    ["sh", "-c", "echo first; printf 'no \\033[31msuch box\\n' >&2; exit 3"],
                    ["/nowhere/at all"], ["no-such-program"], ["sh", "-c", "kill -9 $$"],
                    ["sh", "-c", "echo only this; exit 4"], \#(recorder()) ] }
                """#, at: site.url)
            try await place.ferry("add", try place.file("a"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        }
        let lines = log.split(separator: "\n").compactMap {
            $0.range(of: "hook ").map { line in log[line.lowerBound...].prefix { $0 != "\n" } }
        }
        #expect(
            lines == [
                "hook done of upload 1: sh ended with status 3: no  [31msuch box",
                "hook done of upload 1: /nowhere/at all cannot be started: No such file or directory",
                "hook done of upload 1: no-such-program cannot be started: No such file or directory",
                "hook done of upload 1: sh was killed by signal 9",
                "hook done of upload 1: sh ended with status 4: only this",
            ])
        #expect(received().count == 1)
    }

    @Test func `a hook with a program that others can change meanwhile is not run`() async throws {
        let mark = place.directory.path("ran")
        let program = try place.directory.program("#!/bin/sh\ntouch '\(mark)'\n", at: "files/hook.sh")
        try await ReceiverSite.with { site in
            try configure(#"{ "done": [["chmod", "777", "\#(program)"], ["\#(program)"]] }"#, at: site.url)
            try await place.ferry("add", try place.file("a"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        }
        let words = "the program of hooks.done \(program) can be changed by others (mode 777); `chmod go-w "
        #expect(log.contains("hook done of upload 1: \(program) was not run: \(words)"), "\(log)")
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test func `one that hangs is killed with all that it started`() async throws {
        let mark = place.directory.path("children")
        let script = "trap '' TERM; sleep 300 & echo $$ $! > \\\"$1\\\"; wait; sleep 300"
        try await ReceiverSite.with { site in
            try configure(
                #"{ "done": [["sh", "-c", "\#(script)", "hook", "\#(mark)"], \#(recorder())], "timeout": 0.5 }"#,
                at: site.url)
            try await place.ferry("add", try place.file("a"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        }
        #expect(log.contains("hook done of upload 1: sh did not end in 0.5 s and was killed"), "\(log)")
        #expect(received().count == 1)
        let children = try String(contentsOfFile: mark, encoding: .utf8).split(whereSeparator: \.isWhitespace)
            .compactMap { pid_t($0) }
        try #require(children.count == 2)
        try await Eventually.holds("the end of the command and of its child") {
            !children.contains(where: Self.runs)
        }
    }

    @Test func `a hook that leaves a child running, or reads no input, does not delay the run`() async throws
    {
        let mark = place.directory.path("child")
        try await ReceiverSite.with { site in
            try configure(
                #"{ "done": [["sh", "-c", "sleep 300 & echo $! > \"$1\"", "hook", "\#(mark)"], ["true"]], "timeout": 60 }"#,
                at: site.url)
            try await place.ferry("add", try place.file("a"))
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0))
        }
        let text = try String(contentsOfFile: mark, encoding: .utf8)
        let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(Self.runs(child))
        kill(child, SIGKILL)
        #expect(!log.contains("hook"))
    }

    @Test func `a failure and a held upload have their own`() async throws {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.answer(404)
            }
        }
        defer { server.stop() }
        try configure(
            #"{ "failed": \#(recorder()), "held": \#(recorder()), "idle": \#(recorder()) }"#,
            at: server.url("/"))
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        #expect(received().map { EventLine.name(of: $0) } == ["failed", "idle"])
        try await place.ferry("add", try place.file("b"))
        try place.file("b", "longer than before")
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        #expect(received().map { EventLine.name(of: $0) } == ["failed", "idle", "held", "idle"])
    }

    @Test func `after kill -9 no hook runs again for an earlier end, and one runs once for each later end`()
        async throws
    {
        let limit: (inout ReceiverConfiguration) -> Void = { $0.bytesPerSecond = 2 << 20 }
        try await ReceiverSite.with(limit) { site in
            try configure(#"{ "done": \#(recorder()) }"#, at: site.url)
            try await place.ferry("add", try place.file("a"))
            let engine = try place.start("run")
            try await Eventually.holds("the first hook has run") { received().count == 1 }
            try await place.ferry("add", try place.file("b", String(repeating: "b", count: 4 << 20)))
            try await Eventually.holds("the second one runs") {
                try await place.list().last?.state == "running"
            }
            engine.signal(SIGKILL)
            #expect(try await engine.ending() == .killed(SIGKILL))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        }
        let names = try received().map { try JSONDecoder().decode(UploadLine.self, from: Data($0.utf8)).name }
        #expect(names == ["a", "b"])
    }

    @Test func `an upload that the idle hook adds is sent before the run ends`() async throws {
        let binary = try FerryBinary.path()
        let second = try place.file("second")
        let flags = ["--config", place.configurationFile, "--state", place.state].map { "\"\($0)\"" }
            .joined(separator: ", ")
        try await ReceiverSite.with { site in
            try configure(
                #"{ "idle": ["\#(binary)", "add", "--skip-queued", \#(flags), "\#(second)"] }"#, at: site.url)
            try await place.ferry("add", try place.file("first"))
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors) \(log)")
            #expect(site.content("second") == Data("contents".utf8))
            #expect(result.lines.last == "2 done")
        }
    }

    @Test func `when ferry ends, a command that hangs has three seconds`() async throws {
        try await ReceiverSite.with { site in
            try configure(
                #"{ "done": ["sh", "-c", "echo $$ >> \"$1\"; exec sleep 300", "hook", "\#(place.directory.path("received"))"], "timeout": 600 }"#,
                at: site.url)
            for name in ["a", "b", "c", "d", "e", "f"] { try await place.ferry("add", try place.file(name)) }
            let engine = try place.start("run")
            try await Eventually.holds("four commands run") { received().count == 4 }
            try await Eventually.holds("all is done") {
                try await place.list().allSatisfy { $0.state == "done" }
            }
            engine.signal(SIGTERM)
            #expect(try await engine.ending() == .exited(143))
            #expect(received().count == 4)
            #expect(log.contains("hooks: the commands of 2 events were not run, as the engine ended"))
            #expect(log.contains("sh was killed, as the engine ended"))
            #expect(!received().compactMap { pid_t($0) }.contains(where: Self.runs))
        }
    }

    @Test func `a hook runs once for each of a hundred small files, at most four at a time`() async throws {
        // Each hook writes down how many hooks run at that time.
        let busy = try place.folder("busy")
        let script =
            "mkdir \\\"$1/$$\\\"; ls \\\"$1\\\" | wc -l >> \\\"$1.seen\\\"; cat >> \\\"$1.received\\\"; rmdir \\\"$1/$$\\\""
        try await ReceiverSite.with { site in
            try configure(#"{ "done": ["sh", "-c", "\#(script)", "hook", "\#(busy)"] }"#, at: site.url)
            for number in 0..<100 { try place.file("\(number).bin") }
            try await place.ferry("add", place.path("*.bin"))
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        }
        let ids = try received("busy.received").map {
            try JSONDecoder().decode(UploadLine.self, from: Data($0.utf8)).id
        }
        #expect(ids.sorted() == Array(1...100))
        let seen = received("busy.seen").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        #expect(seen.count == 100)
        #expect(seen.allSatisfy { $0 <= 4 })
    }

    @Test func `the desktop gets one notification about the end of all uploads, without markup`() async throws
    {
        var changed = place
        _ = try place.directory.program(
            "#!/bin/sh\nfor word in \"$@\"; do printf '<%s>' \"$word\"; done >> \"$HOME/received\"\n",
            at: "files/bin/notify-send")
        changed.environment["PATH"] = place.path("bin") + ":" + (place.environment["PATH"] ?? "")
        let place = changed
        changed.environment["DISPLAY"] = ":7"
        let atDesktop = changed
        try await ReceiverSite.with { site in
            try place.configure(
                """
                { "destinations": { "here": { "url": "\(site.url)", "protocol": "put" } },
                  "notify": { "desktop": true, "on": ["idle", "held"] } }
                """)
            for name in ["a", "b"] { try await place.ferry("add", try place.file(name)) }
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
            #expect(received("home/received") == [])
            #expect(
                try await place.ferry("config").lines.contains(
                    "notify         desktop: held, idle (no desktop)"))
            for name in ["c", "<i>"] { try await place.ferry("add", try place.file(name)) }
            try place.file("<i>", "longer than before")
            #expect(try await atDesktop.ferry("run", "--exit-when-idle").ending == .exited(1))
        }
        let text = received("home/received").joined()
        #expect(text.contains("<--app-name=Ferry><--><Ferry><&lt;i&gt; held: "), "\(text)")
        #expect(text.hasSuffix("<--app-name=Ferry><--><Ferry><1 done, 1 held>"), "\(text)")
        #expect(!log.contains("hook"))
    }

    @Test func `hooks and programs that are not there are shown by ferry config`() async throws {
        try place.configure(
            #"{ "hooks": { "done": [["sh", "-c", "a\nb"], ["no-such-program", "x"]], "idle": ["~/bin/x"] } }"#
        )
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(
            result.lines.filter { $0.hasPrefix("hook ") } == [
                #"hook           done: sh -c a\u{A}b"#, "hook           done: no-such-program x (not found)",
                "hook           idle: ~/bin/x (not found)",
            ])
    }
}
