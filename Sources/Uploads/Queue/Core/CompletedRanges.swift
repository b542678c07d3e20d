/// A cache of ranges without open uploads. Thousands of uploads can wait for the same range.
struct CompletedRanges {
    /// The number of checked uploads above which a result is cached. Shorter checks are as fast.
    private static let cachingThreshold = 16

    /// The entry `next[b] == a` means that the uploads from `a + 1` to `b` are done or no longer in the queue.
    private var next: [Upload.ID: Upload.ID] = [:]
    /// The ranges of the last call of `lastOpen`. Only the first `left` can still contain open uploads.
    private var last: (ranges: [ClosedRange<Upload.ID>], left: Int) = ([], 0)
    private var greatest = Upload.ID.min

    /// Returns the greatest number in ascending `ranges` of an upload that is not done, or not on disk as done. In a
    /// range that is longer than the queue, the uploads are searched instead of the numbers.
    mutating func lastOpen(
        in ranges: [ClosedRange<Upload.ID>], of uploads: QueueTable, isOpen: (Upload.ID) -> Bool
    ) -> Upload.ID? {
        // Uploads that were added together share the storage of their ranges, so this comparison is cheap.
        if last.ranges != ranges {
            last = (ranges, ranges.count)
            greatest = max(greatest, ranges.last?.upperBound ?? .min)
        }
        while last.left > 0 {
            if let open = lastOpen(in: ranges[last.left - 1], of: uploads, isOpen: isOpen) { return open }
            last.left -= 1
        }
        return nil
    }

    /// Empties the cache if a checked range can contain this upload, which is open now.
    mutating func reopen(_ id: Upload.ID) {
        if id <= greatest { self = CompletedRanges() }
    }

    private mutating func lastOpen(
        in range: ClosedRange<Upload.ID>, of uploads: QueueTable, isOpen: (Upload.ID) -> Bool
    ) -> Upload.ID? {
        let first = max(0, range.lowerBound)
        var id = range.upperBound
        var steps = 0
        while id >= first, !isOpen(id) {
            if let known = next[id] {
                id = known
            } else if steps <= uploads.count {
                id -= 1
            } else {
                let rest = first...id
                id = uploads.ids { rest.contains($0.id) && isOpen($0.id) }.max() ?? first - 1
            }
            steps += 1
        }
        if steps > Self.cachingThreshold { next[range.upperBound] = id }
        return id >= first ? id : nil
    }
}
