import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests `ferry init` with its input on standard input.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct InitTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func initialize(_ answers: String..., arguments: [String] = []) async throws -> CommandResult {
        let file = try place.file("answers", answers.joined(separator: "\n"))
        let words = ["sh", "-c", #"file=$1; shift; exec "$@" <"$file""#, "sh", file]
        return try await Workplace.result(of: try place.start(through: words, ["init"] + arguments))
    }

    private func configuration() throws -> String {
        try String(contentsOfFile: place.configurationFile, encoding: .utf8)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private let withToken: @Sendable (inout ReceiverConfiguration) -> Void = { $0.token = "t0ken-0123456789" }

    @Test func `the configuration that init writes uploads a file`() async throws {
        try await ReceiverSite.with(withToken) { site in
            // The server refuses the wrong token, and the command asks again.
            let result = try await initialize(
                "box", "3", "wrong", "2", "3", "t0ken-0123456789", "y", arguments: [site.tusURL])
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            #expect(!result.output.contains("t0ken-0123456789") && !result.output.contains("wrong"))
            #expect(try mode(place.configurationFile) == 0o600)
            #expect(try !configuration().contains("t0ken-0123456789"))
            let secret = place.directory.path("config/ferry/box-token")
            #expect(try mode(secret) == 0o600)
            try await place.ferry("add", try place.file("a", "hello"))
            let ran = try await place.ferry("run", "--exit-when-idle")
            #expect(ran.ending == .exited(0), "\(ran.output)")
            #expect(site.content("a") == Data("hello".utf8))
        }
    }

    @Test func `a second destination leaves the rest as it is, and the first one the default`() async throws {
        try await ReceiverSite.with { site in
            let text =
                "{\n    \"destinations\": { \"old\": {\"url\":\"http://127.0.0.1:9/\"} },\n\n  \"limits\": {}\n}\n"
            try place.configure(text)
            let result = try await initialize("new", "1", "n", "y", arguments: [site.url])
            #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
            #expect((result.output + result.errors).contains("Make new the default destination? [y/N]"))
            #expect(
                try configuration() == """
                    {
                        "destinations": { "old": {"url":"http://127.0.0.1:9/"}, "new": { "url": "\(site.url)" } },

                      "limits": {},
                        "defaultDestination": "old"
                    }

                    """)
            let listed = try await place.ferry("config")
            #expect(listed.output.contains("old (default): auto http://127.0.0.1:9/"))
            #expect(listed.output.contains("new: auto \(site.url)"))
        }
    }

    @Test func `a configuration that is wrong is not written over`() async throws {
        try place.configure("{ \"destination\": {} }")
        let result = try await initialize("box", "1", "y", arguments: ["http://127.0.0.1:9/"])
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("destination: expected another key (did you mean `destinations`?)"))
        #expect(try configuration() == "{ \"destination\": {} }")
    }

    @Test func `a server that does not respond is reported, and can be kept`() async throws {
        let result = try await initialize("box", "1", "3", "y", arguments: ["tus+http://127.0.0.1:9/"])
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        #expect(result.output.contains("error     "))
        #expect(try configuration().contains("http://127.0.0.1:9/"))
    }

    @Test(arguments: [["box", "1"], ["box", "1", "4"], ["box", "1", "3", "n"]])
    func `nothing is written before the last prompt has a response`(answers: [String]) async throws {
        let file = try place.file("answers", answers.joined(separator: "\n"))
        let words = ["sh", "-c", #"file=$1; shift; exec "$@" <"$file""#, "sh", file]
        let result = try await Workplace.result(
            of: try place.start(through: words, ["init", "tus+http://127.0.0.1:9/"]))
        #expect(
            result.output.contains("nothing was written") || result.errors.contains("nothing was written"))
        #expect(!FileManager.default.fileExists(atPath: place.configurationFile))
    }

    @Test func `a configuration that is a link stays one`() async throws {
        try place.configure("{}")
        let real = place.directory.path("files/dotfiles.json")
        try place.file("other")
        try FileManager.default.moveItem(atPath: place.configurationFile, toPath: real)
        try FileManager.default.createSymbolicLink(atPath: place.configurationFile, withDestinationPath: real)
        let result = try await initialize(
            "box", "3", "t0ken-0123456789", "3", "y", arguments: ["tus+http://127.0.0.1:9/"])
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.configurationFile) == real)
        #expect(try configuration().contains("\"box\""))
        // The target of the link may be in a repository that others can read.
        #expect(FileManager.default.fileExists(atPath: place.directory.path("config/ferry/box-token")))
    }
}
