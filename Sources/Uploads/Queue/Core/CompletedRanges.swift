/// A cache of ranges of upload numbers. Every upload with a number in these ranges is done or no longer in the queue.
/// Thousands of uploads can wait for the same range. With the cache, the range is not checked again for each of them.
struct CompletedRanges {
    /// A result is cached if more than this number of uploads was checked for it. Shorter checks are as fast as the
    /// cache.
    private static let cachingThreshold = 16

    /// The cached ranges. The entry `next[b] == a` means: every upload with a number from `a + 1` to `b` is done or no
    /// longer in the queue.
    private var next: [Upload.ID: Upload.ID] = [:]
    /// The ranges of the last call of `lastOpen`. Only the first `left` of these ranges can still contain uploads that
    /// are not done.
    private var last: (ranges: [ClosedRange<Upload.ID>], left: Int) = ([], 0)
    /// The greatest number in the ranges of all calls of `lastOpen` so far.
    private var greatest = Upload.ID.min

    /// Returns the greatest number of an open upload in `ranges`; nil if there is none. An upload is open if it is not
    /// done, or if its end is not on disk yet. The ranges must be in ascending order.
    ///
    /// - Parameter uploads: All uploads of the queue. If a range contains many more numbers than there are uploads, the
    ///   function searches the uploads and not the numbers.
    mutating func lastOpen(
        in ranges: [ClosedRange<Upload.ID>], of uploads: UploadTable, isOpen: (Upload.ID) -> Bool
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

    /// Empties the cache if a checked range can contain this upload. Call this function when a done upload becomes
    /// unfinished. Also call it when an unfinished upload is added to the queue or returns to it.
    mutating func reopen(_ id: Upload.ID) {
        if id <= greatest { self = CompletedRanges() }
    }

    private mutating func lastOpen(
        in range: ClosedRange<Upload.ID>, of uploads: UploadTable, isOpen: (Upload.ID) -> Bool
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
                id = uploads.values.reduce(first - 1) { found, upload in
                    rest.contains(upload.id) && upload.id > found && isOpen(upload.id) ? upload.id : found
                }
            }
            steps += 1
        }
        if steps > Self.cachingThreshold { next[range.upperBound] = id }
        return id >= first ? id : nil
    }
}
