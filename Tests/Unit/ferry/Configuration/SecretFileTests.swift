import FerryFiles
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

/// Files with secrets that cannot be read at once, and a clock that the test moves.
@Suite(.timeLimit(.minutes(10)))
struct SecretFileTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()
    private let readers: BlockingIOPool
    private let reader: SecretReader
    /// A pipe. It has no writer at first.
    private let pipe: String

    init() throws {
        directory = try TemporaryDirectory()
        readers = BlockingIOPool(timeout: .seconds(30), clock: clock)
        reader = SecretReader(readers: readers)
        pipe = directory.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = try directory.write(Array(text.utf8), to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    /// Opens the pipe for a writer that writes nothing. Such an open does not wait for a reader (fifo(7)).
    private func silentWriter() throws -> CInt {
        let writer = open(pipe, O_RDWR | O_CLOEXEC)
        try #require(writer >= 0)
        return writer
    }

    private func failure(of path: String) async -> String? {
        let failure = await #expect(throws: UploadFailure.self) { try await reader.read(.file(path)) }
        return failure?.summary
    }

    @Test func `a secret in a pipe without a writer is missing at once`() async {
        #expect(await failure(of: pipe) == "the secret is missing: the file \(pipe) is empty")
    }

    @Test func `a secret's file that hangs is given up in time, holds one thread and delays no other`()
        async throws
    {
        let writer = try silentWriter()
        let other = try file("other", "canary\n")
        let late = Task { await failure(of: pipe) }
        try await clock.waitForSleepers()
        #expect(try await reader.read(.file(other)) == "canary")
        let summary = "the secret is missing: the file \(pipe) was not read in time"
        #expect(try await clock.value(of: late, steps: .seconds(7.5)) == summary)
        #expect(await failure(of: pipe) == summary)
        #expect(readers.load.abandoned == 1)

        try FileManager.default.removeItem(atPath: pipe)
        _ = try file("pipe", "mended")
        close(writer)
        var secret: String?
        for _ in 0..<100_000 where secret == nil {
            secret = try? await reader.read(.file(pipe))
            await Task.yield()
        }
        #expect(secret == "mended")
    }

    @Test func `AWS's profiles that hang are given up in time`() async throws {
        let writer = try silentWriter()
        defer { close(writer) }
        let source = S3CredentialSource(
            .profile("work"), secrets: reader,
            environment: ["AWS_SHARED_CREDENTIALS_FILE": pipe, "AWS_CONFIG_FILE": directory.path("none")],
            readers: readers)
        let loading = Task { await #expect(throws: UploadFailure.self) { try await source.load() } }
        let failure = try await clock.value(of: loading, steps: .seconds(7.5))
        #expect(failure?.summary.hasSuffix("the files of AWS's profiles were not read in time") == true)
    }

    @Test func `a configuration in a pipe is read, as from a shell's process substitution`() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(#"{ "limits": { "concurrency": 7 } }"#.utf8))
        try pipe.fileHandleForWriting.close()
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        #expect(try ConfigurationFile.load(path).limits.concurrency == 7)
    }
}
