import FerryProtocols
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests commands for secrets that fail or misbehave.
@Suite(.timeLimit(.minutes(10)))
struct SecretCommandTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func run(_ script: String, upTo limit: Duration) async throws(UploadFailure) -> String {
        let words = ["sh", "-c", script]
        return try await SecretCommand.run(words, of: .command(words), upTo: limit)
    }

    private static func failure(_ script: String, upTo limit: Duration = .seconds(30)) async -> UploadFailure?
    {
        do throws(UploadFailure) {
            _ = try await run(script, upTo: limit)
            return nil
        } catch {
            return error
        }
    }

    /// Returns true if the process runs. A zombie does not.
    private static func runs(_ id: pid_t) -> Bool {
        guard kill(id, 0) == 0 else { return false }
        let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        return stat?.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    @Test func `A7 a command that hangs is killed after its time with all that it started`() async throws {
        let mark = directory.path("children")
        let failure = await Self.failure(
            "trap '' TERM; sleep 300 & echo $$ $! > '\(mark)'; wait; sleep 300", upTo: .seconds(2))
        #expect(failure?.summary == "the secret is missing: the command sh did not end in time")
        #expect(failure?.category == .authentication)
        let children = try String(contentsOfFile: mark, encoding: .utf8).split(whereSeparator: \.isWhitespace)
            .compactMap { pid_t($0) }
        try #require(children.count == 2)
        try await Eventually.holds("the end of the command and of its child") {
            !children.contains(where: Self.runs)
        }
    }

    @Test func `A7 a command has thirty seconds`() {
        #expect(SecretCommand.timeout == .seconds(30))
    }

    @Test func `A7 a command that prints without end is stopped at 64 KiB`() async throws {
        let mark = directory.path("child")
        let failure = await Self.failure("echo $$ > '\(mark)'; exec yes")
        #expect(failure?.summary == "the secret is missing: the command sh printed more than 65536 bytes")
        let child = try #require(
            pid_t(
                try String(contentsOfFile: mark, encoding: .utf8).trimmingCharacters(
                    in: .whitespacesAndNewlines)))
        try await Eventually.holds("the end of the command") { !Self.runs(child) }
    }

    @Test func `A7 64 KiB are no more than may be printed`() async throws {
        let text = try await Self.run("head -c 65536 /dev/zero | tr '\\0' x", upTo: .seconds(30))
        #expect(text.utf8.count == 65_536)
    }

    @Test(arguments: [
        ("echo what >&2; echo 'no such entry' >&2; exit 3", "ended with status 3: no such entry"),
        ("exit 4", "ended with status 4"),
        ("echo hunter2; echo 'hunter2 is not taken' >&2; exit 5", "ended with status 5: … is not taken"),
        (
            "echo 'https://me:pw@vault.example/x?token=t0k denied' >&2; exit 6",
            "ended with status 6: https://vault.example/x?token=… denied"
        ),
        ("printf 'a\\033[31mb\\n' >&2; exit 7", "ended with status 7: a [31mb"),
        (
            "head -c 300000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2; exit 8",
            "ended with status 8: end"
        ),
        ("kill -9 $$", "was killed by signal 9"),
    ])
    func `A7 a command that fails is reported with its status and what it complained of, without secrets`(
        script: String, words: String
    ) async {
        let failure = await Self.failure(script)
        #expect(failure?.summary == "the secret is missing: the command sh \(words)")
        #expect(failure?.hint == "put it right, then retry")
    }

    @Test func `A7 a child that a secret command leaves running with its errors open delays nothing`()
        async throws
    {
        let mark = directory.path("child")
        let text = try await Self.run(
            "sleep 300 >/dev/null & echo $! > '\(mark)'; echo secret", upTo: .seconds(30))
        #expect(text == "secret\n")
        let child = try #require(
            pid_t(
                try String(contentsOfFile: mark, encoding: .utf8).trimmingCharacters(
                    in: .whitespacesAndNewlines)))
        #expect(Self.runs(child))
        kill(child, SIGKILL)
    }

    @Test func `a secret's command that others can change meanwhile is not run`() async throws {
        let mark = directory.path("ran")
        let program = try directory.program(
            "#!/bin/sh\ntouch '\(mark)'\necho word\n", at: "secret.sh")
        try #require(chmod(program, 0o777) == 0)
        let failure = await #expect(throws: UploadFailure.self) {
            try await SecretReader().read(.command([program]))
        }
        #expect(failure?.category == .authentication)
        #expect(
            failure?.summary
                == "the program of a secret's command \(program) can be changed by others (mode 777)")
        #expect(failure?.hint?.hasPrefix("`chmod go-w ") == true)
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test func `a secret's file in a folder that others can change meanwhile is not read`() async throws {
        let folder = directory.path("open")
        let path = try directory.write(Array("canary\n".utf8), to: "open/secret")
        try #require(chmod(path, 0o600) == 0 && chmod(folder, 0o700) == 0)
        #expect(try await SecretReader().read(.file(path)) == "canary")
        try #require(chmod(folder, 0o777) == 0)
        let failure = await #expect(throws: UploadFailure.self) {
            try await SecretReader().read(.file(path))
        }
        #expect(failure?.category == .authentication)
        #expect(
            failure?.summary
                == "the folder \(folder) above the file of a secret can be changed by others (mode 777)")
    }

    @Test func `A7 the secret of a command is the same when it is read again`() async throws {
        let reader = SecretReader()
        let secret = Secret.command(["printf", "token\\nmore\\n"])
        #expect(try await reader.read(secret) == "token")
        #expect(try await reader.read(secret) == "token")
    }
}
