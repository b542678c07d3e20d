import Foundation
import HTTPTypes
import Support
import Testing

@testable import Transfer
@testable import UploadProtocols

/// What happens to a file between the first byte and the last.
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

    /// Uploads 32 MiB as an attempt does and makes the change when the server has read the first MiB.
    private static func outcome(
        _ change: @escaping (TestFile) throws -> Void
    ) async throws -> (outcome: UploadAttempt.Outcome, requests: [RecordedRequest], file: TestFile) {
        let file = try TestFile(count: 32 << 20)
        let gate = Gate()
        let server = try HostileServer(
            bodyLimit: 33 << 20, receiveBuffer: 65_536,
            [.pauseReading(afterBodyBytes: 1 << 20, until: gate, then: 201)])
        defer { server.stop() }
        let outcome = try await withTransport(stall: .seconds(30)) { transport in
            let source = try file.open()
            let attempt = UploadAttempt(
                session: Session(transport: transport), file: source, identity: source.identity, label: "1",
                recorder: SilentRecorder())
            let put = PutUpload(item: .make(url: server.url("/f"), size: 32 << 20), options: .init())
            let running = Task { await attempt.run(put, resource: nil, capabilities: nil) }
            try await server.wait { ($0.first?.bodyByteCount ?? 0) >= 1 << 20 }
            try change(file)
            gate.open()
            return await running.value
        }
        server.stop()
        return (outcome, server.requests, file)
    }

    @Test(arguments: Change.allCases)
    func `a file that changes is never completed at the server`(change: Change) async throws {
        let (outcome, requests, _) = try await Self.outcome { try change.make(at: $0.path) }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(requests.allSatisfy { !$0.isComplete })
    }

    @Test func `a file that is replaced is sent as it was`() async throws {
        let (outcome, requests, file) = try await Self.outcome { file in
            try file.directory.write([1, 2, 3], to: "other")
            _ = rename(file.directory.path("other"), file.path)
        }
        // The name's new owner is another file. A rename sets the old one's change time, so it may count as changed.
        if outcome.receipt != nil {
            #expect(file.pattern.firstDifference(from: try #require(requests.first).body) == nil)
        } else {
            #expect(outcome.failure?.category == .sourceChanged)
        }
    }

    @Test func `a file that is another than was queued is not sent at all`() async throws {
        let file = try TestFile(count: 100)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        var identity = try SourceFile.identity(at: LocalPath(file.path))
        identity.modified -= 1
        let outcome = try await withTransport { transport in
            let attempt = UploadAttempt(
                session: Session(transport: transport), file: try file.open(), identity: identity, label: "1",
                recorder: SilentRecorder())
            return await attempt.run(
                PutUpload(item: .make(url: server.url(), size: 100), options: .init()), resource: nil,
                capabilities: nil)
        }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(server.requests.isEmpty)
    }
}

private struct SilentRecorder: AttemptRecorder {
    func record(_ resource: Resource?, durably: Bool) async throws(UploadFailure) {}
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
}

struct SourceFileTests {
    @Test func `a file is read exactly and a short read is a change`() throws {
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
    ])
    func `what is no regular file is refused with its name`(path: String, reason: String) {
        #expect { try SourceFile(LocalPath(path)) } throws: { error in
            guard let failure = error as? UploadFailure else { return false }
            return failure.category == .sourceUnreadable && failure.summary == "\(path): \(reason)"
        }
    }

    @Test func `a pipe is refused and not waited for`() throws {
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

    @Test func `an identity survives a round trip and tells versions apart`() throws {
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
