import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests the messages about servers that ask for a pause.
struct RetryAfterPauseTests {
    private static func busy(_ seconds: Double, status: Int = 503) -> UploadAttempt.Outcome {
        .failed(UploadFailure(.server, "busy", status: status, retryAfter: seconds))
    }

    /// Returns a time of the fixture's clock as a date.
    private static func date(_ seconds: Double) -> Date {
        Date(timeIntervalSince1970: 1_800_000_000 + seconds)
    }

    /// Returns a queue with `count` uploads to one host, which has asked one of them to wait for a minute.
    private func asked(of count: Int) async throws -> (fixture: QueueFixture, ids: [Upload.ID]) {
        let fixture = QueueFixture(concurrency: 1)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(count)
        try await fixture.runner.next().finish(Self.busy(60))
        _ = try await fixture.wait(for: ids[0]) { $0.isWaiting }
        return (fixture, ids)
    }

    @Test func `P3 the status shows which server asks, until when and how many wait`() async throws {
        let fixture = try await asked(of: 3).fixture
        #expect(
            await fixture.queue.status.retryAfterPauses
                == [RetryAfterPause(host: "host.test", status: 503, until: Self.date(60), waiting: 3)])
    }

    @Test func `when the time is over nothing is shown any more`() async throws {
        let fixture = try await asked(of: 2).fixture
        fixture.clock.advance(by: .seconds(60))
        _ = try await fixture.runner.next()
        for await update in await fixture.queue.updates() where update.status.retryAfterPauses.isEmpty {
            break
        }
    }

    @Test func `a person who tries now ends it`() async throws {
        let fixture = try await asked(of: 2).fixture
        _ = await fixture.queue.perform(.tryNow)
        #expect(await fixture.queue.status.retryAfterPauses.isEmpty)
    }

    @Test func `uploads that are added, paused and removed meanwhile are counted`() async throws {
        let (fixture, ids) = try await asked(of: 3)
        _ = await fixture.add(2)
        #expect(await fixture.queue.status.retryAfterPauses.map(\.waiting) == [5])
        _ = await fixture.queue.perform(.pause(.ids([ids[1]])))
        _ = await fixture.queue.perform(.remove(.ids([ids[2]])))
        #expect(await fixture.queue.status.retryAfterPauses.map(\.waiting) == [3])
        _ = await fixture.queue.perform(.undo)
        #expect(await fixture.queue.status.retryAfterPauses.map(\.waiting) == [4])
        _ = await fixture.queue.perform(.pause(.all))
        #expect(await fixture.queue.status.retryAfterPauses.isEmpty)
    }

    @Test func `the server with the longest pause is listed first`() async throws {
        let fixture = QueueFixture(concurrency: 2)
        try await fixture.queue.start(monitor: nil)
        let ids = await fixture.add(1, url: "http://a.test/") + (await fixture.add(1, url: "http://b.test/"))
        for id in ids {
            let attempt = try await fixture.runner.next()
            attempt.finish(
                attempt.upload.target.url == "http://a.test/" ? Self.busy(10) : Self.busy(40, status: 429))
            _ = try await fixture.wait(for: attempt.upload.id) { $0.isWaiting }
            #expect(ids.contains(id))
        }
        let pauses = await fixture.queue.status.retryAfterPauses
        #expect(pauses.map(\.host) == ["b.test", "a.test"])
        #expect(pauses.map(\.status) == [429, 503])
        fixture.clock.advance(by: .seconds(10))
        try await fixture.until { $0.status.retryAfterPauses.map(\.host) == ["b.test"] }
    }
}
