import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests a running engine whose configuration is edited.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct ReloadTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Writes the configuration.
    ///
    /// - Parameter destinations: The destinations, each with its name and its members.
    private func configure(_ destinations: [(name: String, members: String)], more: String = "") throws {
        let members = destinations.map { "\"\($0.name)\": { \($0.members) }" }.joined(separator: ", ")
        try place.configure(
            #"{ "destinations": { \#(members) }, "retry": { "base": 0.01, "cap": 0.05 } \#(more) }"#)
    }

    private func member(_ url: String, _ more: String = "") -> String {
        #""url": "\#(url)", "protocol": "put" \#(more)"#
    }

    private func reload() async throws -> [String: [String]] {
        let result = try await place.ferry("reload", "--json")
        #expect(result.ending == .exited(0), "\(result.errors)")
        let line = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        return line.compactMapValues { $0 as? [String] }
    }

    private let nowhere = "http://127.0.0.1:9/box/"

    @Test func `an upload goes through to a destination that was added after the start`() async throws {
        try await ReceiverSite.with { site in
            try configure([("old", member(nowhere))])
            try await place.withEngine { _ in
                try configure([("old", member(nowhere)), ("new", member(site.url))])
                #expect(try await reload()["added"] == ["new"])
                try await place.ferry("add", try place.file("a", "hello"), "--to", "new")
                try await site.log.wait { $0.finished == 1 }
                #expect(site.content("a") == Data("hello".utf8))
            }
        }
    }

    @Test(arguments: [["add"], ["add", "--skip-queued"]])
    func `files that are added to a destination that is new to it are enough`(words: [String]) async throws {
        try await ReceiverSite.with { site in
            try configure([("old", member(nowhere))])
            try await place.withEngine { engine in
                try configure([("old", member(nowhere)), ("new", member(site.url))])
                let added = try await Workplace.result(
                    of: try place.start(words + [try place.file("a", "hello"), "--to", "new"]))
                #expect(added.ending == .exited(0), "\(added.errors)")
                try await site.log.wait { $0.finished == 1 }
                #expect(engine.output.lines.contains { $0.contains("destinations: added new") })
            }
        }
    }

    @Test func `with an error in the file the running engine takes commands, and no other engine starts`()
        async throws
    {
        try configure([("old", member(nowhere))])
        try await place.ferry("add", try place.file("a", "hello"))
        try await place.withEngine { _ in
            try place.configure(#"{ "destinations": "#)
            let paused = try await place.ferry("pause", "--all")
            #expect(paused.output == "1 paused\n")
            #expect(paused.errors.contains("the engine keeps its earlier configuration"))
        }
        let alone = try await place.ferry("resume", "--all")
        #expect(alone.ending == .exited(2))
        #expect(alone.errors.contains("is not valid JSON"))
    }

    @Test func `files that are added make nothing else of the file hold`() async throws {
        try await ReceiverSite.with { site in
            try configure([("old", member(site.url))])
            try await place.withEngine { _ in
                // The configuration is invalid, as it may be during an edit.
                try configure([("new", member(site.url))], more: #", "limits": { "concurrency": 7 }"#)
                try await place.ferry("add", try place.file("a"), "--to", "new")
                try await site.log.wait { $0.finished == 1 }
                #expect(!(try await place.ferry("status").output.contains("7 at once")))
                let other = try place.file(
                    "other.json", #"{ "destinations": { "old": { \#(member(site.url)) } } }"#)
                try await place.ferry("add", try place.file("b"), "--to", "old", "--config", other)
                try await site.log.wait { $0.finished == 2 }
                let answer = try await reload()
                #expect(answer["added"] == [] && answer["removed"] == ["old"] && answer["now"] == ["limits"])
            }
        }
    }

    @Test func `files for a destination that has moved are refused until its file is read`() async throws {
        try await ReceiverSite.with { site in
            try configure([("box", member(nowhere))])
            try await place.withEngine { _ in
                try configure([("box", member(site.url))])
                let early = try await place.ferry("add", try place.file("a"), "--to", "box")
                #expect(early.ending == .exited(2))
                #expect(early.errors.contains("knows box elsewhere than at \(site.url)"), "\(early.errors)")
                #expect(early.errors.contains("`ferry reload` lets it read \(place.configurationFile) again"))
                #expect(try await reload()["changed"] == ["box"])
                try await place.ferry("add", place.path("a"), "--to", "box")
                try await site.log.wait { $0.finished == 1 }
            }
        }
    }

    @Test func `an upload that a changed destination did not let in waits for a retry, which is said`()
        async throws
    {
        let server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try SignInSite.taking(["good"])(connection, try connection.readHead())
            }
        }
        defer { server.stop() }
        func configure(_ token: String) throws {
            try self.configure([("box", member(server.url("/"), #", "auth": { "bearer": "\#(token)" }"#))])
        }
        try configure("bad")
        try await place.withEngine { _ in
            try await place.ferry("add", try place.file("a"))
            try await Eventually.holds("held") { try await place.list().map(\.state) == ["held"] }
            #expect(try await reloadedToRetry() == [])
            try configure("good")
            #expect(try await reloadedToRetry() == [1])
            try await place.ferry("retry", "1")
            try await Eventually.holds("done") { try await place.list().map(\.state) == ["done"] }
        }
    }

    private func reloadedToRetry() async throws -> [Int]? {
        let result = try await place.ferry("reload", "--json")
        let line = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        return line?["retry"] as? [Int]
    }

    @Test func `a watched folder without a destination of its own stays with the default one it had`()
        async throws
    {
        let folder = try place.folder("out")
        let watch = #", "watch": [{ "folder": "\#(folder)" }]"#
        let both = [("a", member(nowhere)), ("b", member(nowhere))].map { (name: $0.0, members: $0.1) }
        try configure(both, more: #", "defaultDestination": "a""# + watch)
        try await place.withEngine { _ in
            try configure(both, more: #", "defaultDestination": "b""# + watch)
            let answer = try await reload()
            #expect(answer["now"] == ["defaultDestination"])
            #expect(answer["atNextStart"] == ["watch"])
        }
    }

    @Test func `a destination that its file has not got is refused when files are added`() async throws {
        try configure([("old", member(nowhere))])
        try await place.withEngine { _ in
            let other = try place.file(
                "other.json", #"{ "destinations": { "new": { "url": "http://127.0.0.1:9/" } } }"#)
            let added = try await place.ferry("add", try place.file("a"), "--to", "new", "--config", other)
            #expect(added.ending == .exited(2))
            #expect(added.errors.contains("the running engine has no destination new"), "\(added.errors)")
            #expect(added.errors.contains(place.configurationFile))
            #expect(try await place.list().isEmpty)
            try place.configure("{")
            let again = try await place.ferry("add", place.path("a"), "--to", "new", "--config", other)
            #expect(again.ending == .exited(2))
            #expect(again.errors.contains("does not know the destination new yet: "), "\(again.errors)")
            #expect(again.errors.contains("is not valid JSON"))
        }
    }

    @Test(arguments: [
        (#"{ "destinations": { "new": { "url": "here" } } }"#, "destinations.new.url: expected "),
        (#"{ "destinations": {}, "limit": 1 }"#, "limit: expected another key "), ("{", "is not valid JSON"),
    ])
    func `an error is reported with its key, and everything stays as it was`(text: String, error: String)
        async throws
    {
        try await ReceiverSite.with { site in
            try configure([("old", member(site.url))])
            let valid = try String(contentsOfFile: place.configurationFile, encoding: .utf8)
            try await place.withEngine { _ in
                try await place.ferry("pause", "--all")
                try place.configure(text)
                let result = try await place.ferry("reload")
                #expect(result.ending == .exited(2))
                #expect(result.errors.hasPrefix("error: \(place.configurationFile)"), "\(result.errors)")
                #expect(result.errors.contains(error), "\(result.errors)")
                // The command reads a valid configuration. The engine keeps its current one.
                let other = try place.file("valid.json", valid)
                let added = try await place.ferry("add", try place.file("a"), "--config", other)
                #expect(added.ending == .exited(0), "\(added.errors)")
                try await site.log.wait { $0.finished == 1 }
            }
        }
    }

    @Test func `a file that has vanished is an error, where there was one`() async throws {
        try configure([("old", member(nowhere))])
        try await place.withEngine { _ in
            try FileManager.default.removeItem(atPath: place.configurationFile)
            let result = try await place.ferry("reload")
            #expect(result.ending == .exited(2))
            #expect(result.errors.contains("cannot be read"))
        }
    }

    @Test func `a configuration file that did not exist at the start is read by reload`() async throws {
        try await place.withEngine { _ in
            #expect(try await reload()["added"] == [])
            try configure([("new", member(nowhere))])
            #expect(try await reload()["added"] == ["new"])
        }
    }

    @Test func `a running upload is not disturbed, and the next one goes by what was changed`() async throws {
        let gate = Gate()
        let server = try HostileServer.answering(201, after: gate)
        defer { server.stop() }
        let url = server.url("/")
        try configure([("box", member(url, #", "headers": { "X-Version": "1" }"#))])
        try await place.withEngine { _ in
            try await place.ferry("add", try place.file("a"))
            try await server.wait { $0.count == 1 }
            try configure([
                (
                    "box",
                    member(url, #", "headers": { "X-Version": "2" }, "tls": { "minimumVersion": "1.3" }"#)
                )
            ])
            #expect(try await reload()["changed"] == ["box"])
            gate.open()
            try await place.ferry("add", try place.file("b"))
            try await Eventually.holds("both done") {
                try await place.list().allSatisfy { $0.state == "done" }
            }
            #expect(try await place.list().map(\.attempts) == [1, 1])
        }
        #expect(server.requests.map { $0["X-Version"] } == ["1", "2"])
    }

    @Test func `a destination that has not changed keeps its sign-in`() async throws {
        let site = try SignInSite(upload: SignInSite.taking(["a1"]))
        defer { site.server.stop() }
        try site.configure(place)
        let text = try String(contentsOfFile: place.configurationFile, encoding: .utf8)
        try await place.withEngine { _ in
            try await place.ferry("add", try place.file("a"))
            try await Eventually.holds("done") { try await place.list().allSatisfy { $0.state == "done" } }
            try place.configure(
                text.replacing("{ \"here\"", with: #"{ "new": { "url": "http://127.0.0.1:9/" }, "here""#))
            #expect(try await reload()["added"] == ["new"])
            // Without this file, a destination that has to sign in again asks the token server.
            try FileManager.default.removeItem(atPath: place.state + "/tokens/here.json")
            try await place.ferry("add", try place.file("b"), "--to", "here")
            try await Eventually.holds("done") { try await place.list().allSatisfy { $0.state == "done" } }
        }
        #expect(site.asked == ["r0"])
        #expect(site.credentials == ["Bearer a1", "Bearer a1"])
    }

    @Test func `a limit that a command set overrides a new configured limit, as it does after a start`()
        async throws
    {
        try configure([("box", member(nowhere))], more: #", "limits": { "bandwidth": "1M" }"#)
        try await place.withEngine { _ in
            try await place.ferry("limit", "2M", "--to", "box")
            try configure(
                [("box", member(nowhere, #", "limits": { "bandwidth": "8M" }"#))],
                more: #", "limits": { "bandwidth": "4M", "concurrency": 7 }"#)
            #expect(try await reload()["now"] == ["limits"])
            let status = try await place.ferry("status").output
            #expect(status.contains("limits   7 at once, 4 MiB/s, uploads to box 2 MiB/s"), "\(status)")
            try await place.ferry("limit", "auto", "--to", "box")
            #expect(try await place.ferry("status").output.contains("uploads to box 8 MiB/s"))
        }
    }

    @Test func `an upload that failed for its destination waits for a retry, which is said`() async throws {
        try await ReceiverSite.with { site in
            try configure([("box", member(site.url))])
            try await place.ferry("add", try place.file("a"))
            try configure([])
            try await place.withEngine { _ in
                try await Eventually.holds("failed") { try await place.list().map(\.state) == ["failed"] }
                #expect(try await place.list().first?.hint?.contains("reload them") == true)
                try configure([("box", member(site.url))])
                let result = try await place.ferry("reload")
                #expect(result.lines.last?.hasSuffix("may resume now: `ferry retry 1`") == true)
                #expect(try await place.list().map(\.state) == ["failed"])
                try await place.ferry("retry", "1")
                try await site.log.wait { $0.finished == 1 }
            }
        }
    }

    @Test func `a watched folder's files go where its destination leads now`() async throws {
        try await ReceiverSite.with { site in
            let folder = try place.folder("out")
            try configure(
                [("box", member(nowhere))],
                more: #", "watch": [{ "folder": "\#(folder)", "to": "box", "settle": 0.1 }]"#)
            try await place.withEngine { _ in
                // `watch` itself cannot be reloaded, so its destination must stay.
                try configure([("box", member(site.url))])
                let answer = try await reload()
                #expect(answer["changed"] == ["box"])
                #expect(answer["atNextStart"] == ["watch"])
                try place.directory.write(Array("hello".utf8), to: "out/a")
                try await site.log.wait { $0.finished == 1 }
                try configure([])
                #expect(try await reload()["atNextStart"] == ["watch", "destinations.box"])
                try place.directory.write(Array("hello".utf8), to: "out/b")
                try await site.log.wait { $0.finished == 2 }
            }
        }
    }

    @Test func `many reloads at once all get a response`() async throws {
        try configure([("old", member(nowhere))])
        try await place.withEngine { _ in
            try configure([("old", member(nowhere)), ("new", member(nowhere))])
            let asked = try (1...8).map { _ in try place.start("reload", "--json") }
            var count = 0
            for process in asked {
                #expect(try await process.ending() == .exited(0), "\(process.errors.text)")
                if process.output.text.contains(#""added":["new"]"#) { count += 1 }
            }
            #expect(count == 1)
        }
    }

    @Test func `without an engine it is said that none runs`() async throws {
        let result = try await place.ferry("reload")
        #expect(result.ending == .exited(3))
        #expect(result.errors.hasPrefix("error: no engine is running\n"))
    }

    @Test func `init lets the running engine know of the new destination`() async throws {
        try await ReceiverSite.with { site in
            try await place.withEngine { _ in
                let answers = try place.file("answers", ["box", "1", "y"].joined(separator: "\n"))
                let words = ["sh", "-c", #"file=$1; shift; exec "$@" <"$file""#, "sh", answers]
                let result = try await Workplace.result(
                    of: try place.start(through: words, ["init", site.url]))
                #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
                #expect(result.output.hasSuffix("the running engine knows box now\n"), "\(result.output)")
            }
        }
    }
}
