import Dispatch
import FerryFiles
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(1)))
struct DigestThreadTests {
    @Test func `an upload that waits for its digest delays no other`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (entered, enter) = AsyncStream<Void>.makeStream()
        async let otherDigest: Void = offLoop(on: .digests) { () throws(SystemCallError) in
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
}
