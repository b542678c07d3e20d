import FerryProtocols
import FerryStateSimulation
import Foundation
import Testing

@testable import FerryUploads

/// Tests the memory of the upload numbers after which other uploads start.
struct CompletedRangesTests {
    private static let done = Upload.State.done(
        Receipt(bytes: 10), at: Date(timeIntervalSince1970: 1_800_000_000))

    /// Uploads of which some are not done. It counts the lookups of single uploads.
    private struct Site {
        var runs = CompletedRanges()
        var uploads: QueueTable
        var looks = 0

        init(_ ids: some Sequence<Upload.ID>, open: Set<Upload.ID>) {
            uploads = QueueTable(ids.map { .make($0, state: open.contains($0) ? .queued : done) })
        }

        mutating func lastOpen(_ ranges: [ClosedRange<Upload.ID>]) -> Upload.ID? {
            runs.lastOpen(in: ranges, of: uploads) { id in
                looks += 1
                return uploads[id].map { !$0.isDone } ?? false
            }
        }
    }

    @Test func `however many start after the same thousands, each of these is looked at once`() {
        var site = Site(1...20_000, open: [17])
        for _ in 1...20_000 { #expect(site.lastOpen([1...20_000]) == 17) }
        #expect(site.looks <= 3 * 20_000)
    }

    @Test func `they are looked at once by those too that start after more of them each`() {
        var site = Site(1...20_000, open: [17])
        for last in 10_001...20_000 { #expect(site.lastOpen([1...last]) == 17) }
        #expect(site.looks <= 20_000 + 20 * 10_000)
    }

    @Test func `thousands of ranges are gone through once`() {
        var site = Site(1...20_000, open: [1])
        let ranges = stride(from: 1, to: 20_000, by: 2).map { $0...$0 }
        for _ in 1...10_000 { #expect(site.lastOpen(ranges) == 1) }
        #expect(site.looks <= 2 * 10_000)
    }

    @Test func `a range far longer than the queue is not gone through number by number`() {
        var site = Site([3, 40, 1 << 53], open: [40, 1 << 53])
        #expect(site.lastOpen([0...1 << 50]) == 40)
        site.uploads[40]?.state = Self.done
        #expect(site.lastOpen([0...1 << 50]) == nil)
        #expect(site.looks < 50)
    }

    @Test func `an upload that is to be done again is found again`() {
        var site = Site(1...100, open: [])
        #expect(site.lastOpen([1...100]) == nil)
        site.uploads[50]?.state = .queued
        site.runs.reopen(50)
        #expect(site.lastOpen([1...100]) == 50)
        #expect(site.lastOpen([1...49]) == nil)
    }

    @Test func `ranges that end alike and begin apart are distinguished`() {
        var site = Site(1...100, open: [5])
        #expect(site.lastOpen([50...100]) == nil)
        #expect(site.lastOpen([1...100]) == 5)
        #expect(site.lastOpen([50...100]) == nil)
        #expect(site.lastOpen([1...3, 50...100]) == nil)
        #expect(site.lastOpen([1...6, 50...100]) == 5)
    }
}
