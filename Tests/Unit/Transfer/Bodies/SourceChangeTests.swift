import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests changes of a file while it is sent.
struct SourceChangeTests {
    enum Change: CaseIterable {
        case shrinks, empties, grows, isRewritten

        func make(at path: String) throws {
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            defer { try? file.close() }
            switch self {
            case .shrinks: try file.truncate(atOffset: 20 << 20)
            case .empties: try file.truncate(atOffset: 0)
            case .grows:
                try file.seekToEnd()
                try file.write(contentsOf: Data([1]))
            case .isRewritten:
                try file.seek(toOffset: 5)
                try file.write(contentsOf: Data([1]))
            }
        }
    }

    /// Uploads 32 MiB as an attempt does. The change happens when the server has read the first MiB.
    private static func outcome(
        before: (TestFile) throws -> Void = { _ in }, _ change: @escaping (TestFile) throws -> Void
    ) async throws -> (outcome: UploadAttempt.Outcome, requests: [RecordedRequest], file: TestFile) {
        let file = try TestFile(count: 32 << 20)
        try before(file)
        let gate = Gate()
        let server = try HostileServer(
            bodyLimit: 33 << 20, receiveBuffer: 65_536,
            [.pauseReading(afterBodyBytes: 1 << 20, until: gate, then: 201)])
        defer { server.stop() }
        let outcome = try await withTransport(stall: .seconds(30)) { transport in
            let source = try file.open()
            let attempt = UploadAttempt(
                sender: RequestSender(over: transport), file: source, identity: source.identity, label: "1",
                recorder: SilentRecorder())
            let put = PutUpload(item: .make(url: server.url("/f"), size: 32 << 20), options: .init())
            let running = Task { await attempt.run(put, resource: nil, capabilities: nil).value }
            try await server.wait { ($0.first?.bodyByteCount ?? 0) >= 1 << 20 }
            try change(file)
            gate.open()
            return await running.value
        }
        server.stop()
        return (outcome, server.requests, file)
    }

    @Test(arguments: [Change.grows, .isRewritten])
    func `F1 a file that changes is never completed at the server`(change: Change) async throws {
        let (outcome, requests, _) = try await Self.outcome { try change.make(at: $0.path) }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(outcome.failure?.summary.contains(": edited while it was sent: ") == true)
        #expect(requests.allSatisfy { !$0.isComplete })
    }

    @Test(arguments: [Change.shrinks, .empties])
    func `F2 a file that is cut while it is read is a change and no crash`(change: Change) async throws {
        let (outcome, requests, _) = try await Self.outcome { try change.make(at: $0.path) }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(outcome.failure?.summary.contains(": edited while it was sent: was 32 MiB, is ") == true)
        #expect(requests.allSatisfy { !$0.isComplete })
    }

    /// Changes of a file's change time. Each is a single system call, so no reader sees a part of it.
    enum ChangeTimeOnly: CaseIterable {
        case permissions, timesSetAsTheyWere, anotherName

        func make(at path: String) {
            switch self {
            case .permissions: #expect(chmod(path, 0o600) == 0)
            case .anotherName: #expect(link(path, path + ".2") == 0)
            case .timesSetAsTheyWere:
                var before = stat()
                #expect(stat(path, &before) == 0)
                #expect(utimensat(AT_FDCWD, path, [before.st_atim, before.st_mtim], 0) == 0)
            }
        }
    }

    @Test(arguments: ChangeTimeOnly.allCases)
    func `F3 a change time that moves for any other reason than a lost name is a change`(
        change: ChangeTimeOnly
    ) async throws {
        let (outcome, requests, _) = try await Self.outcome { change.make(at: $0.path) }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(outcome.failure?.summary.contains("size and modification time are as before") == true)
        #expect(requests.allSatisfy { !$0.isComplete })
    }

    @Test func `F3 a file that was written and had its times set back is another version`() throws {
        let file = try TestFile(count: 100)
        let source = try file.open()
        var before = stat()
        #expect(stat(file.path, &before) == 0)
        try Change.isRewritten.make(at: file.path)
        #expect(utimensat(AT_FDCWD, file.path, [before.st_atim, before.st_mtim], 0) == 0)
        let failure = #expect(throws: UploadFailure.self) { try source.check(source.identity) }
        #expect(failure?.category == .sourceChanged)
        #expect(failure?.summary.contains("size and modification time are as before") == true)
    }

    @Test func `F4 a file that is deleted is sent to its end, and the receipt says so`() async throws {
        let (outcome, requests, file) = try await Self.outcome { #expect(unlink($0.path) == 0) }
        #expect(outcome.receipt?.source == .deleted)
        #expect(file.pattern.firstDifference(from: try #require(requests.first).body) == nil)
    }

    @Test func `F4 a file that loses one of two names is sent as if nothing had been`() async throws {
        let directory = try TemporaryDirectory()
        let other = directory.path("other")
        let (outcome, _, _) = try await Self.outcome(
            before: { #expect(link($0.path, other) == 0) }, { _ in #expect(unlink(other) == 0) })
        #expect(outcome.receipt != nil)
        #expect(outcome.receipt?.source == nil)
    }

    @Test func `F4 a file that is written to after it was deleted is a change`() async throws {
        let (outcome, requests, _) = try await Self.outcome { file in
            let writer = try FileHandle(forUpdating: URL(fileURLWithPath: file.path))
            #expect(unlink(file.path) == 0)
            try writer.write(contentsOf: Data([0xFF]))
            try writer.close()
        }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(requests.allSatisfy { !$0.isComplete })
    }

    @Test func `F3 a file that is replaced is sent as it was, and the receipt says so`() async throws {
        let (outcome, requests, file) = try await Self.outcome { file in
            try file.directory.write([1, 2, 3], to: "other")
            #expect(rename(file.directory.path("other"), file.path) == 0)
        }
        #expect(outcome.receipt?.source == .replaced)
        #expect(file.pattern.firstDifference(from: try #require(requests.first).body) == nil)
    }

    @Test func `F1 a file that is another than was queued is not sent at all`() async throws {
        let file = try TestFile(count: 100)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        var identity = try SourceFile.identity(at: LocalPath(file.path))
        identity.modified -= 1
        let outcome = try await withTransport { transport in
            let attempt = UploadAttempt(
                sender: RequestSender(over: transport), file: try file.open(), identity: identity, label: "1",
                recorder: SilentRecorder())
            return await attempt.run(
                PutUpload(item: .make(url: server.url(), size: 100), options: .init()), resource: nil,
                capabilities: nil
            ).value
        }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(server.requests.isEmpty)
    }
}

private struct SilentRecorder: AttemptRecorder {
    func record(_ resource: Redacted<UploadResource>?, durably: Bool) async throws(UploadFailure) {}
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
}

struct SourceFileTests {
    @Test func `F2 a file is read exactly and a short read is a change`() throws {
        let file = try TestFile(count: 1000)
        let source = try file.open()
        var bytes = [UInt8](repeating: 0, count: 300)
        try bytes.withUnsafeMutableBytes { try source.read(into: $0, at: 700) }
        #expect(file.pattern.firstDifference(from: bytes, at: 700) == nil)
        #expect { try bytes.withUnsafeMutableBytes { try source.read(into: $0, at: 701) } } throws: { error in
            (error as? UploadFailure)?.category == .sourceChanged
        }
    }

    @Test(arguments: [
        ("/dev/null", "is not a regular file"), ("/", "is a folder"), ("/no/such/file", "no such file"),
        ("/proc/self/mem\u{0}x", "no such file"), ("", "no such file"), ("/etc/passwd/x", "no such file"),
        ("/dev/zero", "is not a regular file"),
    ])
    func `F6 a path that is no regular file is refused by name`(path: String, reason: String) {
        #expect { try SourceFile(LocalPath(path)) } throws: { error in
            guard let failure = error as? UploadFailure else { return false }
            return failure.category == .sourceUnreadable && failure.summary == "\(path): \(reason)"
        }
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status"), "there is no /proc here"),
        arguments: ["/proc/self/status", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled"])
    func `F6 a pseudo file of the kernel is no file on a disk`(path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let failure = #expect(throws: UploadFailure.self) { try SourceFile(LocalPath(path)) }
        #expect(failure?.summary == "\(path): is not a file on a disk")
    }

    @Test func `F6 a pipe is refused and not waited for`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        #expect { try SourceFile(LocalPath(path)) } throws: { error in
            (error as? UploadFailure)?.category == .sourceUnreadable
        }
    }

    @Test func `the descriptor is closed with the last reference`() throws {
        let file = try TestFile(count: 10)
        do {
            let source = try file.open()
            #expect(file.openDescriptors == 1)
            try source.check(source.identity)
        }
        #expect(file.openDescriptors == 0)
    }

    @Test func `an identity survives a round trip and distinguishes versions`() throws {
        let file = try TestFile(count: 10)
        let first = try SourceFile.identity(at: LocalPath(file.path))
        #expect(try JSONDecoder().decode(FileIdentity.self, from: JSONEncoder().encode(first)) == first)
        try SourceChangeTests.Change.grows.make(at: file.path)
        #expect(try SourceFile.identity(at: LocalPath(file.path)) != first)
    }

    @Test(arguments: [
        [UInt8]("/a/b".utf8), [0x2F, 0xFF, 0xFE], Array("base64:x".utf8), [], Array("ü\n".utf8), [0],
    ])
    func `a path of any bytes survives a round trip`(bytes: [UInt8]) throws {
        let path = LocalPath(bytes: bytes)
        #expect(try JSONDecoder().decode([LocalPath].self, from: JSONEncoder().encode([path])) == [path])
    }

    @Test func `malformed base64 is no path`() {
        #expect(LocalPath(encoded: "base64:***") == nil)
    }

    @Test(arguments: [("/a/b.txt", "b.txt"), ("b", "b"), ("/a/", ""), ("", "")])
    func `the name is what follows the last slash`(path: String, name: String) {
        #expect(LocalPath(path).name == name)
    }
}

extension UploadAttempt.Outcome {
    var receipt: Receipt? { if case .done(let receipt) = self { receipt } else { nil } }
    var failure: UploadFailure? { if case .failed(let failure) = self { failure } else { nil } }
    var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

extension UploadItem {
    static func make(url: String = "http://server.example/f", size: ByteCount = 10) -> UploadItem {
        UploadItem(url: url, name: "f", size: size, key: "key-1")
    }
}
