import Dispatch
import FerryFiles
import FerryProtocols
import Foundation
import Synchronization
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(10)))
struct DigestThreadTests {
    @Test func `an upload that waits for its digest delays no other`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (entered, enter) = AsyncStream<Void>.makeStream()
        async let otherDigest: Void = offLoop(on: .digests) {
            enter.finish()
            gate.wait()
        }
        defer { gate.signal() }
        for await _ in entered {}
        try await withReceiver { site async throws in
            async let waiting = site.request("PUT", "/a.bin", ["Want-Repr-Digest": "sha-256=1"], "hello")
            defer { gate.signal() }
            _ = await site.events.first { event -> Bool? in
                if case .received(_, 5) = event { true } else { nil }
            }
            #expect(try await site.request("PUT", "/b.bin", [:], "other").status == 201)
            #expect(try site.names() == ["b.bin"])
            gate.signal()
            let reply = try await waiting
            #expect(reply["Repr-Digest"] != nil)
        }
        try await otherDigest
    }

    @Test func `a small file's digest does not wait for the end of a large one's`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let large = try OpenFile(LocalPath(folder + "/large"), for: .creatingForWriting)
        try large.truncate(to: 100 << 20)
        let small = try OpenFile(LocalPath(folder + "/small"), for: .creatingForWriting)
        try small.truncate(to: 1)
        // Digests share one thread. The gate `first` blocks it until both files wait. The gate `second` blocks it
        // before the second turn of the large file.
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        defer { for gate in [first, second] { gate.signal() } }
        async let before: Void = Self.wait(for: first)
        let end = End()
        try await withThrowingTaskGroup { group in
            group.addTask {
                _ = try await large.digests([.sha256], of: 0..<100 << 20)
                end.isReached.store(true, ordering: .sequentiallyConsistent)
            }
            for _ in 0..<100 { await Task.yield() }
            async let digest = small.digests([.sha256], of: 0..<1)
            for _ in 0..<100 { await Task.yield() }
            async let behind: Void = Self.wait(for: second)
            for _ in 0..<100 { await Task.yield() }
            first.signal()
            _ = try await digest
            let isLargeDone = end.isReached.load(ordering: .sequentiallyConsistent)
            #expect(!isLargeDone)
            second.signal()
            try await behind
            try await group.waitForAll()
        }
        try await before
    }

    private final class End: Sendable {
        let isReached = Atomic(false)
    }

    private static func wait(for gate: DispatchSemaphore) async throws {
        try await offLoop(on: .digests) { gate.wait() }
    }
}
