import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests failures that no upload causes: a missing medium, and a lack of descriptors.
@Suite(.timeLimit(.minutes(10)))
struct ShortageTests {
    @Test func `S18 an upload without a descriptor waits, and costs no try`() {
        var tries = Upload.Tries()
        let policy = QueueRetryPolicy(serverTries: 1)
        for _ in 0..<50 {
            let decision = policy.decide(after: .noDescriptor(), tries: &tries)
            guard case .wait(let seconds) = decision else {
                Issue.record("it is not tried again: \(decision)")
                return
            }
            #expect((1...2).contains(seconds))
        }
        #expect(tries.network == 0)
        #expect(tries.server == 0)
    }

    @Test func `F13 a medium that stays away is tried for ever, less and less often`() {
        var tries = Upload.Tries()
        let policy = QueueRetryPolicy()
        var waits: [Double] = []
        for _ in 0..<1000 {
            let failure = UploadFailure(.sourceAway, "away")
            if case .wait(let seconds) = policy.decide(
                after: failure, tries: &tries, random: { $0.upperBound })
            {
                waits.append(seconds)
            }
        }
        #expect(waits.count == 1000)
        #expect(waits.prefix(3) == [1, 2, 4])
        #expect(waits.last == policy.cap)
    }

    @Test func `F13 an upload that waits for its medium can be tried now`() async throws {
        let fixture = QueueFixture(isLocal: true)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        try await fixture.runner.next().fail(.sourceAway)
        let waiting = try await fixture.wait(for: ids[0]) { $0.isWaiting }
        #expect(waiting.tries.network == 1)
        _ = await fixture.queue.perform(.retry(.ids(ids)))
        try await fixture.runner.next().complete()
        _ = try await fixture.wait(for: ids[0]) { $0.isDone }
    }

    @Test func `S18 nothing starts for a while once descriptors are short, and one notice says why`()
        async throws
    {
        let fixture = QueueFixture(concurrency: 2, isLocal: true)
        try await fixture.queue.start(monitor: nil)
        _ = await fixture.add(4)
        let first = try await fixture.runner.next()
        let second = try await fixture.runner.next()
        first.finish(.failed(.noDescriptor(for: "/files/1")))
        _ = try await fixture.wait(for: first.upload.id) { $0.isWaiting }
        second.complete()
        _ = try await fixture.wait(for: second.upload.id) { $0.isDone }
        // Two slots are free, but the queue starts nothing for a second.
        #expect(await fixture.queue.all.filter { $0.state == .queued }.count == 2)
        let limit = try #require(DescriptorLimit.current)
        #expect(
            await fixture.queue.status.notice?.summary
                == "too many open files: the limit is \(limit); `ulimit -n` raises it")
        fixture.clock.advance(by: .seconds(1))
        for _ in 0..<2 { try await fixture.runner.next().complete() }
        try await fixture.until { $0.core.uploads.values.count { $0.state.isDone } == 3 }
        fixture.clock.advance(by: .seconds(1))
        try await fixture.runner.next().complete()
        _ = try await fixture.wait(for: first.upload.id) { $0.isDone }
        #expect(await fixture.queue.status.notice != nil)
        fixture.clock.advance(by: .seconds(5))
        try await fixture.until { $0.status.notice == nil }
    }
}
