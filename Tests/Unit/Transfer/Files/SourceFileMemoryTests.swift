import FerryFiles
import FerryProtocols
import FerryTestSupport
import Testing

@testable import FerryTransfer

struct SourceFileMemoryTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func opened(_ content: [UInt8]) async throws -> SourceFile {
        let path = LocalPath(try directory.write(content, to: "a"))
        return try await SourceFile.open(path, queuedAs: SourceFile.identity(at: path), readsSmall: true)
    }

    @Test func `a small file is read when it is opened`() async throws {
        let before = ContinuousClock.now
        let file = try await opened(Array("hello".utf8))
        let bytes = try #require(file.recentBytes(1..<4, of: file.identity, now: before))
        #expect(Array(bytes) == Array("ell".utf8))
        #expect(file.recentBytes(1..<4, of: file.identity, now: before.advanced(by: .seconds(3600))) == nil)
    }

    @Test func `the bytes of another version or of another range are not taken from memory`() async throws {
        let file = try await opened(Array("hello".utf8))
        var other = file.identity
        other.size = 6
        #expect(file.recentBytes(0..<5, of: other) == nil)
        #expect(file.recentBytes(0..<6, of: file.identity) == nil)
    }

    @Test func `a large file is not read when it is opened`() async throws {
        let file = try await opened([UInt8](repeating: 1, count: 200_000))
        #expect(file.recentBytes(0..<1, of: file.identity) == nil)
    }
}
