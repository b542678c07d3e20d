import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests lists of paths on standard input, and giving the same command twice.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct AddListTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try place.file("a.txt")
    }

    private func add(_ input: String, _ option: String) async throws -> CommandResult {
        try await shell(#"cd "$1" && printf "$3" | "$2" add "$4""#, input, option)
    }

    /// Runs a shell script. Its first arguments are the folder of the files and the path of `ferry`.
    private func shell(_ script: String, _ more: String...) async throws -> CommandResult {
        let words = ["-c", script, "sh", place.directory.path("files"), try FerryBinary.path()] + more
        let process = try ChildProcess(
            "/bin/sh", words.map { Array($0.utf8) }, environment: place.environment)
        return try await Workplace.result(of: process)
    }

    private func names() async throws -> [String] { try await place.list().map(\.name) }

    @Test func `a line is a path, with the folders that it names`() async throws {
        for name in ["day 1/b.txt", "day 2/b.txt"] { try place.file(name) }
        let result = try await add(#"a.txt\nday 1/b.txt\n./day 2/b.txt\n"#, "-")
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output == "added 3 files, 24 B, to here\n")
        #expect(try await names() == ["a.txt", "day 1/b.txt", "day 2/b.txt"])
    }

    @Test func `with -0 a name may hold a line break`() async throws {
        try place.file("two\nlines")
        let result = try await add(#"a.txt\0two\nlines\0"#, "-0")
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(try await names() == ["a.txt", "two\nlines"])
    }

    @Test func `names from a list are no patterns`() async throws {
        let result = try await add(#"*.txt\n"#, "-")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("*.txt: no such file"))
        #expect(try await names().isEmpty)
    }

    @Test func `a list of NUL bytes taken for lines is refused with what to do`() async throws {
        let result = try await add(#"a.txt\0b.txt\0"#, "-")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("hint: after `find -print0` use `ferry add -0`"))
    }

    @Test(arguments: ["-", "-0"])
    func `an empty list adds nothing, says so and is no failure`(option: String) async throws {
        let result = try await add("", option)
        #expect(result.ending == .exited(0))
        #expect(result.output == "added 0 files, 0 B, to here\n")
        #expect(result.errors == "note: the list on standard input is empty\n")
    }

    @Test func `a folder with no files in it adds nothing, says so and is no failure`() async throws {
        let result = try await place.ferry("add", "--recursive", try place.folder("empty"), "--json")
        #expect(result.ending == .exited(0))
        #expect(result.output == "")
        #expect(result.errors == "note: there are no files in what was named\n")
    }

    @Test func `10,000 paths from a pipe are added while uploads run`() async throws {
        let place = place
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url)
            for number in 0..<10_000 { try place.file("many/\(number)", "x") }
            let engine = try place.start("run", "--json")
            try await place.ferry("add", place.path("a.txt"))
            let result = try await shell(#"cd "$1" && find many -type f -print0 | "$2" add -0"#)
            #expect(result.output == "added 10000 files, 9.8 KiB, to here\n", "\(result.errors)")
            try await site.log.wait { $0.finished > 100 }
            engine.signal(SIGTERM)
            try await engine.ending()
            #expect(Set(try await place.list().map(\.id)) == Set(1...10_001))
        }
    }

    @Test func `given again with --skip-queued nothing is added twice`() async throws {
        try place.file("b.txt")
        try await place.ferry("add", place.path("a.txt"), "--skip-queued")
        let again = try await place.ferry("add", place.path("a.txt"), place.path("b.txt"), "--skip-queued")
        #expect(again.ending == .exited(0))
        #expect(again.output == "added 1 file, 8 B, to here; 1 left out: already in the queue\n")
        let dry = try await place.ferry("add", place.path("a.txt"), "--skip-queued", "--dry-run")
        #expect(dry.output == "would add 0 files, 0 B, to here; 1 left out: already in the queue\n")
        #expect(try await names() == ["a.txt", "b.txt"])
    }

    @Test func `a failed upload is not added again with --skip-queued, and a note names the retry command`()
        async throws
    {
        let server = try HostileServer([.answer(403)])
        defer { server.stop() }
        try place.configure("put", at: server.url("/box/"))
        try await place.ferry("add", place.path("a.txt"), "--skip-queued")
        try await place.ferry("run", "--exit-when-idle")
        let note = "note: 1 of what is left out has failed: `ferry retry 1` tries it again\n"
        let text = try await place.ferry("add", place.path("a.txt"), "--skip-queued")
        #expect(text.ending == .exited(0))
        #expect(text.output == "added 0 files, 0 B, to here; 1 left out: failed before\n")
        #expect(text.errors == note)
        let json = try await place.ferry("add", place.path("a.txt"), "--skip-queued", "--json")
        #expect(json.ending == .exited(0))
        #expect(
            json.output.contains(#""reason":"has failed; `ferry retry 1` tries it again","state":"failed"}"#))
        #expect(json.errors == note)
    }

    @Test
    func `a known file in the same version is left out and counted by reason, and --again adds it`()
        async throws
    {
        try place.file("b.txt")
        try await place.ferry("add", place.path("a.txt"))
        let twice = try await place.ferry("add", place.path("a.txt"), place.path("b.txt"))
        #expect(twice.ending == .exited(0))
        #expect(twice.output == "added 1 file, 8 B, to here; 1 left out: already in the queue\n")
        #expect(
            twice.errors
                == "note: what is queued or uploaded unchanged is left out; `--again` sends it again\n")
        let again = try await place.ferry("add", place.path("a.txt"), "--again")
        #expect(again.output == "added 1 file, 8 B, to here\n")
        #expect(try await names() == ["a.txt", "b.txt", "a.txt"])
    }

    @Test func `a file that changed since it was queued is added, but not with --skip-queued`() async throws {
        try await place.ferry("add", place.path("a.txt"))
        try place.file("a.txt", "another version")
        let skipped = try await place.ferry("add", place.path("a.txt"), "--skip-queued")
        #expect(skipped.output.hasPrefix("added 0 files"))
        let added = try await place.ferry("add", place.path("a.txt"))
        #expect(added.output == "added 1 file, 15 B, to here\n")
    }

    @Test func `a private key in a folder is left out, which is said`() async throws {
        try place.file("home/id_rsa", "key")
        try place.file("home/a.mov", "film")
        let result = try await place.ferry("add", "--recursive", place.path("home"))
        #expect(result.ending == .exited(1))
        #expect(result.output.hasPrefix("added 1 file, 4 B, to here"))
        #expect(result.errors.contains("id_rsa: is a private key; name it to add it"))
        let all = try await place.ferry("add", "--recursive", "--include-keys", place.path("home"))
        #expect(all.output.hasPrefix("added 1 file, 3 B, to here; 1 left out"))
    }

    @Test func `another destination, or another name there, is another upload`() async throws {
        try await place.ferry("add", place.path("a.txt"), "--skip-queued")
        try await place.ferry("add", place.path("a.txt"), "--skip-queued", "--as", "other")
        try await place.ferry(
            "add", place.path("a.txt"), "--skip-queued", "--to", "put+http://127.0.0.1:9/elsewhere/")
        #expect(try await place.list().count == 3)
    }

    @Test(arguments: [0, 1000])
    func `an uploaded file is added again only in another version`(kept: Int) async throws {
        let place = place
        let overwriting: (inout ReceiverConfiguration) -> Void = { $0.overwrite = true }
        try await ReceiverSite.with(overwriting) { site in
            try place.configure("put", at: site.url, limits: "{ \"done\": \(kept) }")
            let path = place.path("a.txt")
            try await place.ferry("add", path, "--skip-queued")
            try await place.ferry("run", "--exit-when-idle")
            let again = try await place.ferry("add", path, "--skip-queued")
            #expect(again.output == "added 0 files, 0 B, to here; 1 left out: already uploaded\n")
            try place.file("a.txt", "another version")
            let changed = try await place.ferry("add", path, "--skip-queued")
            #expect(changed.output == "added 1 file, 15 B, to here\n")
        }
    }

    @Test func `a file is added once by four simultaneous commands`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        let path = place.path("a.txt")
        let commands = try (0..<4).map { _ in try place.start("add", path, "--skip-queued") }
        for command in commands { #expect(try await command.ending() == .exited(0)) }
        #expect(try await names() == ["a.txt"])
    }

    @Test func `a name that is a dash is written with its folder`() async throws {
        try place.file("-")
        let result = try await place.ferry("add", place.path("-"), "-")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("a file of that name is ./-"))
        #expect(try await place.ferry("add", place.path("-")).ending == .exited(0))
    }
}
