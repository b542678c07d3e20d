import FerryProtocols
import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests the counts in `ferry status`.
struct EngineCountsTests {
    private static func scheduled(_ id: Upload.ID) -> Upload {
        var upload = Upload.boxed(id)
        upload.start = .init(notBefore: Date(timeIntervalSince1970: 4_000_000_000))
        return upload
    }

    @Test func `bytes in flight do not count as left`() {
        let sent = SampledProgress([ProgressSample(id: 1, sent: 4, confirmed: 0, phase: .sending)])
        let counts = EngineReport.Counts(
            QueueTable([.boxed(1, .running), .boxed(2), .boxed(3, .held)]), sent: sent)
        #expect(counts.bytesLeft == 6 + 10)
        #expect(counts.bytesLater == 0)
    }

    @Test func `the bytes of uploads that wait for a time are counted apart`() {
        let counts = EngineReport.Counts(QueueTable([.boxed(1), Self.scheduled(2), Self.scheduled(3)]))
        #expect(counts.bytesLeft == 10)
        #expect(counts.bytesLater == 20)
        #expect(counts.queued == 3)
        let report = EngineReport(
            process: 7, since: Date(timeIntervalSince1970: 0), status: EngineStatus(), counts: counts,
            screens: 0
        )
        #expect(StatusText.lines(report).contains("uploads  3 queued; 10 B left; 20 B later"))
    }
}
