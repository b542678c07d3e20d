import FerryTestSupport
import Foundation
import Testing

/// Tests `ferry add` on a queue without an engine.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct AddTests {
    private static let nextStep = "let this user read it (`chmod`, `chown`)"

    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.configure("put", at: "http://127.0.0.1:9/box/")
    }

    @Test func `an added file is in the list with all it needs`() async throws {
        let path = try place.file("a.txt", "hello")
        let result = try await place.ferry("add", path)
        #expect(result.ending == .exited(0))
        #expect(result.output == "added 1 file, 5 B, to here\n")
        let upload = try #require(try await place.list().first)
        #expect(upload.path == path)
        #expect(upload.name == "a.txt")
        #expect(upload.destination == "here")
        #expect(upload.url == "http://127.0.0.1:9/box/")
        #expect(upload.protocol == "put")
        #expect(upload.size == 5)
        #expect(upload.state == "queued")
        #expect(upload.attempts == 0)
    }

    @Test func `a relative path is the one seen from where the command ran`() async throws {
        let path = try place.file("sub folder/b", "x")
        let words = ["sh", "-c", "cd \"$0\" && exec \"$@\"", place.path("")]
        let result = try await Workplace.result(of: try place.start(through: words, ["add", "sub folder/b"]))
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(try await place.list().map(\.path) == [path])
    }

    @Test(arguments: [".", "./", "sub/..", "sub/.", ".."])
    func `a folder named by dots is no part of the names at the server`(spelling: String) async throws {
        try place.file("day/sub/a.txt")
        let words = [
            "sh", "-c", "cd \"$0\" && exec \"$@\"", place.path(spelling == ".." ? "day/sub" : "day"),
        ]
        let result = try await Workplace.result(of: try place.start(through: words, ["add", "-r", spelling]))
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(try await place.list().map(\.name) == [spelling == "sub/." ? "a.txt" : "sub/a.txt"])
    }

    @Test func `a name that begins with a dash is refused as an option, and nothing is added`()
        async throws
    {
        try place.file("-dash.txt")
        let words = ["sh", "-c", "cd \"$0\" && exec \"$@\"", place.path("")]
        let wrong = try await Workplace.result(of: try place.start(through: words, ["add", "-dash.txt"]))
        #expect(wrong.ending == .exited(2))
        #expect(wrong.output.isEmpty)
        #expect(
            wrong.errors == """
                error: unknown option '-dash.txt'
                hint: `ferry add ./-dash.txt` queues a file of that name

                """)
        for arguments in [["add", "./-dash.txt"], ["add", "--again", "--", "-dash.txt"]] {
            let right = try await Workplace.result(of: try place.start(through: words, arguments))
            #expect(right.ending == .exited(0), "\(right.errors)")
        }
        #expect(try await place.list().map(\.name) == ["-dash.txt", "-dash.txt"])
    }

    @Test func `a dry run says what would be added and adds nothing`() async throws {
        let path = try place.file("a", "12345")
        let result = try await place.ferry("add", "--dry-run", path)
        #expect(result.ending == .exited(0))
        #expect(result.lines.first?.contains("\(path) -> a") == true)
        #expect(result.lines.last == "would add 1 file, 5 B, to here")
        #expect(try await place.list().isEmpty)
    }

    @Test func `a folder is refused without --recursive and says so`() async throws {
        try place.file("folder/a")
        let result = try await place.ferry("add", place.path("folder"))
        #expect(result.ending == .exited(1))
        #expect(result.errors == "skipped: \(place.path("folder")): is a folder; add --recursive\n")
        #expect(try await place.list().isEmpty)
    }

    @Test func `a folder's files keep their relative paths, hidden ones stay out`() async throws {
        for name in ["folder/a", "folder/day 1/b", "folder/.secret/c", "folder/.env"] { try place.file(name) }
        let result = try await place.ferry("add", "--recursive", place.path("folder"))
        #expect(try await place.list().map(\.name) == ["folder/a", "folder/day 1/b"])
        // The exit status shows that a file was left out.
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("\(place.path("folder/.env")): is hidden; name it to add it"))
        #expect(result.errors.contains(".secret: is hidden"))
    }

    @Test func `a pattern in quotes is matched by ferry itself`() async throws {
        for name in ["day 1/a.mov", "day 2/b.mov", "day 2/c.txt"] { try place.file(name) }
        let result = try await place.ferry("add", place.path("day ?/*.mov"))
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(try await place.list().map(\.name) == ["a.mov", "b.mov"])
    }

    @Test func `a pattern that nothing matches is a problem`() async throws {
        let result = try await place.ferry("add", place.path("*.mov"))
        #expect(result.ending == .exited(1))
        #expect(result.errors == "skipped: \(place.path("*.mov")): nothing matches\n")
    }

    @Test func `an existing path is taken literally, even with characters of a pattern`() async throws {
        try place.file("[1]*.mov", "star")
        try place.file("1x.mov", "other")
        try await place.ferry("add", place.path("[1]*.mov"))
        #expect(try await place.list().map(\.name) == ["[1]*.mov"])
    }

    @Test func `files that can be added are, although another is missing`() async throws {
        let path = try place.file("a")
        let result = try await place.ferry("add", path, place.path("nothing"))
        #expect(result.ending == .exited(1))
        #expect(result.errors == "skipped: \(place.path("nothing")): no such file\n")
        #expect(try await place.list().count == 1)
    }

    @Test func `an unreadable file is named with the reason`() async throws {
        let path = try place.file("closed")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        let process = try place.start(through: Privilege.without, ["add", path])
        let result = try await Workplace.result(of: process)
        #expect(result.ending == .exited(1))
        #expect(result.errors == "skipped: \(path): permission denied; \(Self.nextStep)\n")
    }

    @Test func `an unreadable file in a folder is named with the reason, and the others are added`()
        async throws
    {
        let path = try place.file("day/closed")
        _ = try place.file("day/open")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        let process = try place.start(through: Privilege.without, ["add", "--recursive", place.path("day")])
        let result = try await Workplace.result(of: process)
        #expect(result.ending == .exited(1))
        #expect(result.errors == "skipped: \(path): permission denied; \(Self.nextStep)\n")
        #expect(try await place.list().count == 1)
    }

    @Test func `files that would replace each other at the server are refused`() async throws {
        let paths = [try place.file("day1/a"), try place.file("day2/a")]
        let result = try await place.ferry("add", paths[0], paths[1])
        #expect(result.ending == .exited(2))
        #expect(
            result.errors == """
                error: \(paths[0]) and \(paths[1]) would replace each other: both are a at the server
                hint: `ferry add -` reads a list of relative paths, which keep their folders; --as gives one file a name

                """)
        #expect(try await place.list().isEmpty)
        #expect(try await place.ferry("add", "--if-exists", "fail", paths[0], paths[1]).ending == .exited(0))
        try place.configure("tus", at: "http://127.0.0.1:9/files/")
        #expect(try await place.ferry("add", paths[0], paths[1]).ending == .exited(0))
    }

    @Test(arguments: ["", "..", "../a", "day/", ".", "../\u{301}a"])
    func `a name that no file can have there is refused`(name: String) async throws {
        let result = try await place.ferry("add", try place.file("a"), "--as", name)
        #expect(result.ending == .exited(2))
        #expect(
            result.errors.contains(
                name.isEmpty ? "the name after --as is empty" : "--as \(name) does not name a file"))
        #expect(try await place.list().isEmpty)
    }

    @Test(arguments: ["--state-dir", "--config"])
    func `an empty path is not the current folder`(option: String) async throws {
        let result = try await place.ferry("add", try place.file("a"), option, "")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("the path after --config or --state-dir is empty"))
    }

    @Test func `a name for one file is what the server gets`() async throws {
        let path = try place.file("a")
        try await place.ferry("add", "--as", "b c/ä.bin", path)
        let upload = try #require(try await place.list().first)
        #expect(upload.name == "b c/ä.bin")
        #expect(upload.path == path)
    }

    @Test func `one name for two files is wrong usage`() async throws {
        let paths = (try place.file("a"), try place.file("b"))
        let result = try await place.ferry("add", "--as", "c", paths.0, paths.1)
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix("error: --as names one file and 2 were given\nhint: "))
        #expect(try await place.list().isEmpty)
    }

    @Test func `files that would replace each other are refused`() async throws {
        let paths = (try place.file("a"), try place.file("b"))
        let result = try await place.ferry("add", "--to", "http://127.0.0.1:9/one", paths.0, paths.1)
        #expect(result.ending == .exited(2))
        #expect(
            result.errors.hasPrefix(
                "error: 2 files would replace each other at http://127.0.0.1:9/one\nhint: "))
    }

    @Test(arguments: [["--field", "noequals"], ["--field", "=value"]])
    func `a field without a name or a value is wrong usage`(words: [String]) async throws {
        let path = try place.file("a")
        let result = try await Workplace.result(of: try place.start(["add"] + words + [path]))
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("is not K=V"))
    }

    @Test func `an unknown destination names the ones there are`() async throws {
        let path = try place.file("a")
        let result = try await place.ferry("add", "--to", "there", path)
        #expect(result.ending == .exited(2))
        #expect(
            result.errors == """
                error: there is no destination there
                hint: did you mean `here`? known are here; an address works too

                """)
    }

    @Test(arguments: [
        ("ftp://h/", "ftp://h/ is not an http or https address"),
        ("http://", "http:// is not an http or https address with a host"),
        ("http://me:secret@h/", "an address must not hold a user or password"),
        ("gopher+http://h/", "the protocol gopher in gopher+http://h/ is not known"),
    ])
    func `an address that cannot be used says why`(address: String, message: String) async throws {
        let path = try place.file("a")
        let result = try await place.ferry("add", "--to", address, path)
        #expect(result.ending == .exited(2))
        #expect(result.errors.hasPrefix("error: \(message)\nhint: "))
    }

    @Test func `without any configuration the address is asked for`() async throws {
        let bare = try Workplace()
        let path = try bare.file("a")
        let result = try await bare.ferry("add", path)
        #expect(result.ending == .exited(2))
        #expect(
            result.errors.hasPrefix("error: no destination was named and none is configured\nhint: use --to ")
        )
    }

    @Test func `an address with a protocol is a destination`() async throws {
        let path = try place.file("a")
        try await place.ferry("add", "--to", "tus+http://127.0.0.1:9/files/", path)
        let upload = try #require(try await place.list().first)
        #expect(upload.protocol == "tus")
        #expect(upload.url == "http://127.0.0.1:9/files/")
        #expect(upload.destination == "")
    }
}
