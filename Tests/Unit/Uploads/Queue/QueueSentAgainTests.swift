import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Testing

@testable import FerryUploads

/// Tests the counts of bytes that were sent again.
struct QueueSentAgainTests {
    private static let address = "http://host.test/1"
    private static let other = "http://host.test/2"

    private let fixture = QueueFixture(isLocal: true)

    /// Waits until the failed upload is tried again, and returns the attempt.
    private func next() async throws -> ScriptedRunner.Attempt {
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(2))
        return try await fixture.runner.next()
    }

    @Test func `N3 bytes that have to go out again are counted`() async throws {
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        let first = try await fixture.runner.next()
        try await first.recorder.record(UploadResource(url: Self.address, confirmed: 100), durably: true)
        first.recorder.didSend(300, reached: 400)
        first.fail(.network)
        let second = try await next()
        try await second.recorder.record(UploadResource(url: Self.address, confirmed: 150), durably: false)
        #expect(await fixture.queue.core.uploads[ids[0]]?.tries.resent == 250)
    }

    @Test func `N3 bytes count as sent again also if the next attempt breaks before the server is asked`()
        async throws
    {
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        let resource = UploadResource(url: Self.address, confirmed: 100)
        let first = try await fixture.runner.next()
        try await first.recorder.record(resource, durably: true)
        first.recorder.didSend(300, reached: 400)
        first.fail(.network)
        try await next().fail(.network)
        let third = try await next()
        try await third.recorder.record(UploadResource(url: resource.url, confirmed: 150), durably: false)
        #expect(await fixture.queue.core.uploads[ids[0]]?.tries.resent == 250)
    }

    @Test func `N3 bytes that the server confirmed and forgot while an attempt runs count as sent again`()
        async throws
    {
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        let attempt = try await fixture.runner.next()
        try await attempt.recorder.record(UploadResource(url: Self.address, confirmed: 100), durably: true)
        try await attempt.recorder.record(UploadResource(url: Self.other), durably: true)
        #expect(await fixture.queue.core.uploads[ids[0]]?.tries.resent == 100)
    }

    @Test func `N3 bytes that the server confirmed and forgot between attempts count as sent again`()
        async throws
    {
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        let first = try await fixture.runner.next()
        try await first.recorder.record(UploadResource(url: Self.address, confirmed: 100), durably: true)
        first.fail(.network)
        let second = try await next()
        try await second.recorder.record(nil, durably: true)
        try await second.recorder.record(UploadResource(url: Self.other), durably: true)
        #expect(await fixture.queue.core.uploads[ids[0]]?.tries.resent == 100)
    }

    @Test
    func `N3 bytes that the server forgot while an attempt runs count as sent again once, however it ends`()
        async throws
    {
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        let first = try await fixture.runner.next()
        try await first.recorder.record(UploadResource(url: Self.address, confirmed: 100), durably: true)
        first.fail(.network)
        let kept = UploadResource(url: Self.address, confirmed: 40)
        let second = try await next()
        try await second.recorder.record(kept, durably: false)
        second.recorder.didEnd(out: 40)
        second.fail(.network)
        try await next().recorder.record(kept, durably: false)
        #expect(await fixture.queue.core.uploads[ids[0]]?.tries.resent == 60)
    }

    @Test func `N3 bytes of an attempt that asks no server first count as sent again with all before them`()
        async throws
    {
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1)
        let first = try await fixture.runner.next()
        try await first.recorder.record(UploadResource(url: Self.address), durably: true)
        first.recorder.didSend(300, reached: 300)
        first.fail(.network)
        let second = try await next()
        second.recorder.didSend(200, reached: 200)
        second.fail(.network)
        try await fixture.clock.waitForSleepers()
        let tries = try #require(await fixture.queue.core.uploads[ids[0]]?.tries)
        #expect(tries.resent == 300)
        #expect(tries.sent == 200)
    }
}
