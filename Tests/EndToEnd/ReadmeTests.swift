import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The commands of the README, read from it and run by a shell as they are shown, but for the port.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct ReadmeTests {
    /// The beginnings of the blocks that are not run here, with the reasons.
    private static let others = [
        "sudo apt-get install -y dpkg-dev":
            "it builds the package, which the tests of Tests/Package install in a fresh Debian",
        "sudo apt-get install -y libncursesw5-dev":
            "it builds the sources and runs all tests; Tests/Terminal/test_demo.py runs the demo",
    ]

    private let place: Workplace

    /// Puts `ferry` into the PATH, as an installation does.
    init() throws {
        var place = try Workplace()
        let programs = try place.folder("bin")
        try FileManager.default.createSymbolicLink(
            atPath: programs + "/ferry", withDestinationPath: try FerryBinary.path())
        place.environment["PATH"] = "\(programs):\(place.environment["PATH"] ?? "")"
        self.place = place
    }

    /// The blocks that are run here.
    private func blocks() throws -> [String] {
        var blocks = ManualPage.blocks("sh", in: try ManualPage.readme())
        for (beginning, reason) in Self.others {
            let index = try #require(
                blocks.firstIndex { $0.hasPrefix(beginning) },
                "the README has no block that begins with \(beginning): \(reason)")
            blocks.remove(at: index)
        }
        return blocks
    }

    /// Starts a shell in the folder of the workplace. It ends with the first command that fails.
    private func start(_ script: String) throws -> ChildProcess {
        let words = ["-C", place.directory.path, "sh", "-ec", script]
        return try ChildProcess(
            "/usr/bin/env", words.map { Array($0.utf8) }, environment: place.environment)
    }

    @Test func `the first upload of the README arrives in the folder of its server`() async throws {
        let shown = try blocks()
        try #require(shown.count == 2, "each new block is run here or has a reason: \(shown)")
        #expect(shown[0] == "ferry serve --directory in")
        let server = try start("exec \(shown[0]) --bind 127.0.0.1:0")
        let lines = try await server.output.wait { $0.contains { $0.hasPrefix("set up with  ferry init ") } }
        let port = try #require(lines.first?.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.output.1)
        try place.directory.write(Array("hello".utf8), to: "film.mov")
        // The questions of `ferry init` get the suggested answers. Without a terminal, `ferry` prints lines.
        let commands = shown[1].replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
        let result = try await Workplace.result(of: try start("printf '\\n\\n' | {\n\(commands)\n}"))
        #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
        let received = FileManager.default.contents(atPath: place.directory.path("in/film.mov"))
        #expect(received == Data("hello".utf8))
        server.signal(SIGTERM)
        #expect(try await server.ending() == .exited(0))
    }
}
