import Foundation
import Testing

/// Tests what the program says about mistyped commands, options and values.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct MistypedCommandTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func `a mistyped command is named with the nearest one`() async throws {
        let result = try await place.ferry("ad", "film.mov")
        #expect(result.ending == .exited(2))
        #expect(result.errors == "error: there is no command 'ad'\nhint: did you mean `ferry add`?\n")
    }

    @Test func `a file instead of a command leads to add`() async throws {
        let file = try place.file("film.mov")
        let result = try await place.ferry(file)
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("hint: `ferry add \(file)` queues the file"))
    }

    @Test func `an option that is near by its meaning is suggested by the command too`() async throws {
        let result = try await place.ferry("add", "--dest", "films", "a")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("did you mean `--to`?"))
    }

    @Test func `a mistyped state leads to the nearest one`() async throws {
        let value = try await place.ferry("list", "--state", "faild")
        #expect(value.ending == .exited(2))
        #expect(value.errors.contains("hint: did you mean `failed`?"), "\(value.errors)")
        let option = try await place.ferry("list", "--stat", "failed")
        #expect(option.ending == .exited(2))
        #expect(option.errors.contains("hint: did you mean `--state`?"), "\(option.errors)")
    }

    @Test func `a mistyped value of an option leads to the nearest one`() async throws {
        let result = try await place.ferry("--color", "alway")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("hint: did you mean `always`?"), "\(result.errors)")
    }

    @Test(arguments: ["list", "history", "pause", "status"], ["--state-dir", "--state"])
    func `a state folder that is named and is not there is an error`(command: String, option: String)
        async throws
    {
        let missing = place.path("typo")
        let words = [command, option, missing] + (command == "pause" ? ["--all"] : [])
        let result = try await Workplace.result(of: try place.start(words))
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("there is no folder \(missing)"))
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test(arguments: ["--stat", "--statedir", "--state-dri"])
    func `a mistyped option of the state folder leads to it, and starts nothing`(option: String) async throws
    {
        let folder = place.path("typo")
        let result = try await place.ferry(option, folder)
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("hint: did you mean `--state-dir`?"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test(arguments: ["ftp", "sftp"]) func `a protocol that is not spoken is named as such`(scheme: String)
        async throws
    {
        let result = try await place.ferry("add", try place.file("a"), "--to", "\(scheme)://host.example/in/")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("hint: Ferry does not speak \(scheme); it uploads by"))
        #expect(!result.errors.contains("Unix socket"))
    }

    @Test func `a secret that cannot be had is reported, and the exit status is 1`() async throws {
        let missing = place.path("no-such-token")
        let text = """
            { "destinations": {
              "a": { "url": "https://host.example/", "auth": { "bearer": { "env": "FERRY_NO_SUCH_NAME" } } },
              "b": { "url": "https://host.example/", "auth": { "bearer": { "file": "\(missing)" } } } } }
            """
        let file = try place.file("other.json", text)
        let result = try await place.ferry("config", "--config", file)
        #expect(result.ending == .exited(1))
        #expect(
            result.errors.contains(
                "warning: destinations.a.auth: the environment variable FERRY_NO_SUCH_NAME is not set"))
        #expect(result.errors.contains("destinations.b.auth: the secret is missing: the file \(missing)"))
    }
}
