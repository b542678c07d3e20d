import FerryTestSupport
import Foundation
import Testing

/// Tests how a user chooses a theme file, in the configuration and on the command line.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct ThemeChoiceTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func `the configuration names a file, which is checked with it`() async throws {
        var place = place
        place.environment["HOME"] = place.path(".")
        try place.directory.write(
            Array(#"{ "roles": { "done": { "full": 300 } } }"#.utf8), to: "files/mine.json")
        try place.configure(#"{ "appearance": { "themeFile": "~/mine.json" } }"#)
        let wrong = try await place.ferry("config")
        #expect(wrong.ending == .exited(2))
        #expect(wrong.errors.contains("/mine.json: roles.done.full: expected a whole number from 0 to 255"))
        #expect(try await place.ferry("list").ending == .exited(0), "a queue needs no theme")
        try place.directory.write(Array("{}".utf8), to: "files/mine.json")
        #expect(try await place.ferry("config").output.contains(/theme +\/.*\/mine.json\n/))
    }

    @Test func `a name or a path is asked for on the command line`() async throws {
        let name = try await place.ferry("screen", "--theme", "pink")
        #expect(name.ending == .exited(2))
        #expect(
            name.errors.contains("There is no theme 'pink'; there are default, light, high-contrast, mono"))
        let path = try await place.ferry("screen", "--theme", "./none.json")
        #expect(path.ending == .exited(2))
        #expect(path.errors.contains("the theme ./none.json cannot be read"))
        #expect(path.errors.contains("choose one of default, light"))
        try place.directory.write([UInt8](repeating: 0x20, count: (1 << 20) + 1), to: "files/large.json")
        let large = try await place.ferry("screen", "--theme", "./files/large.json")
        #expect(large.errors.contains("large.json cannot be read, or has more than 1 MiB"))
    }
}
