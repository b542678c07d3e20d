import FerryUploads
import Testing

@testable import FerryTUI

@Suite struct EventSummaryTests {
    @Test func `a few events are printed one by one`() {
        var summary = EventSummary(names: false)
        #expect(summary.add([.make(.done, 1), .make(.done, 2)], now: 0).count == 2)
        #expect(summary.add([.make(.done, 3)], now: 0.5).count == 1)
        #expect(summary.deadline == nil)
    }

    @Test func `many at once are counted at once`() {
        var summary = EventSummary(names: false)
        let lines = summary.add((1...10_000).map { .make(.added, $0) }, now: 0)
        #expect(lines == ["10,000 added (9.5 MiB), numbers 1 to 10000"])
        #expect(summary.advance(to: 1).isEmpty)
        #expect(summary.deadline == nil)
    }

    @Test func `in a burst there is one line a second and then less, however many are done`() {
        var summary = EventSummary(names: false)
        var lines: [String] = []
        // Ten thousand small files end within ten seconds, in the updates in which the queue sends them.
        for step in 0..<1000 {
            let ids = (step * 10 + 1)...(step * 10 + 10)
            lines += summary.add(ids.map { .make(.done, $0) }, now: Double(step) / 100)
        }
        lines += summary.finish()
        #expect(lines.count <= 5, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("in the last second 990 done") })
        #expect(lines.contains { $0.hasPrefix("in the last 2 seconds 2,000 done") })
        #expect(lines.last?.hasSuffix("to 10000") == true)
    }

    @Test func `events that arrive one by one print at most a few lines a second`() {
        var summary = EventSummary(names: false)
        var lines: [String] = []
        for id in 1...500 { lines += summary.add([.make(.done, id)], now: Double(id) / 50) }
        lines += summary.finish()
        #expect(lines.count <= 10, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("in the last 2 seconds 10") })
    }

    @Test func `slightly more than a few events are printed by name when no more come`() {
        var summary = EventSummary(names: false)
        _ = summary.add((1...4).map { .make(.done, $0) }, now: 0)
        #expect(summary.add([.make(.done, 5), .make(.done, 6)], now: 0.2).isEmpty)
        #expect(summary.deadline == 1)
        #expect(summary.advance(to: 1).map { $0.prefix(13) } == ["upload 5 done", "upload 6 done"])
    }

    @Test func `several kinds are printed in one line`() {
        var summary = EventSummary(names: false)
        let events =
            (1...6).map { UploadEvent.make(.paused, $0) } + (7...20).map { UploadEvent.make(.began, $0) }
        #expect(summary.add(events, now: 0) == ["14 started, numbers 7 to 20; 6 paused, numbers 1 to 6"])
    }

    @Test func `many uploads that begin are not mentioned when many are done`() {
        var summary = EventSummary(names: false)
        let events =
            (1...6).map { UploadEvent.make(.done, $0) } + (7...20).map { UploadEvent.make(.began, $0) }
        #expect(summary.add(events, now: 0) == ["6 done (5.9 KiB), numbers 1 to 6"])
    }

    @Test func `many failures print the first ones whole, more by name, and a count of the rest`() {
        var summary = EventSummary(names: true)
        let lines = summary.add((1...500).map { .make(.failed, $0, state: .failed) }, now: 0)
        #expect(lines.count == 6)
        #expect(lines[4].hasPrefix("upload 5 failed: file-5.bin: 403 no write access"))
        #expect(
            lines[5]
                == "495 more failed: 6, file-6.bin; 7, file-7.bin; 8, file-8.bin and 492 others; list failed says why"
        )
    }

    @Test func `nothing is lost at the end`() {
        var summary = EventSummary(names: false)
        _ = summary.add((1...10).map { .make(.done, $0) }, now: 0)
        #expect(summary.add([.make(.done, 11)], now: 0.1).isEmpty)
        #expect(summary.finish().map { $0.prefix(14) } == ["upload 11 done"])
        #expect(summary.finish().isEmpty)
    }
}
