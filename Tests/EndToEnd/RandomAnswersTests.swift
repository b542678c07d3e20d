import FerryTestSupport
import Foundation
import Testing

#if os(Linux)
    /// Runs `Tests/random-answers` for a short time.
    @Suite(.enabled(if: InteropServer.hasPython, InteropServer.needsPython), .timeLimit(.minutes(10)))
    struct RandomAnswersTests {
        private static let program = Repository.path("Tests/random-answers")

        /// Runs batches until the servers have sent `count` responses.
        private func run(
            _ ferry: String, answers: Int, seed: String, _ more: [String] = []
        ) async throws -> CommandResult {
            let words =
                [
                    Self.program, "--ferry", ferry, "--seed", seed, "--answers", "\(answers)",
                    "--uploads", "40", "--at-once", "1", "--limit", "12", "--seconds", "90",
                ] + more
            let process = try ChildProcess(
                try #require(InteropServer.python), words.map { Array($0.utf8) },
                environment: ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"])
            return try await Workplace.result(of: process, upTo: .seconds(240))
        }

        @Test
        func `random responses neither end the program, nor hang an upload, nor mark one done without bytes`()
            async throws
        {
            let result = try await run(try FerryBinary.path(), answers: 300, seed: "tests")
            #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
            #expect(result.output.contains(", 0 wrong"))
        }

        @Test func `every upload of every protocol, link and sign-in is done when all responses are honest`()
            async throws
        {
            let result = try await run(
                try FerryBinary.path(), answers: 1, seed: "honest",
                ["--honest", "--limit", "120", "--uploads", "80"])
            #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
            #expect(result.output.contains("(80 done"))
        }

        @Test func `a program that ends by itself is found`() async throws {
            let folder = try TemporaryDirectory()
            let path = try folder.write(Array("#!/bin/sh\nkill -ILL $$\n".utf8), to: "ferry")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            let result = try await run(path, answers: 1, seed: "tests")
            #expect(result.ending == .exited(1))
            #expect(
                result.output.contains("wrong: the program ended with -4 (seed tests.0)"), "\(result.output)")
        }
    }
#endif
