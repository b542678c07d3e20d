/// A cache of the ranges of upload numbers whose uploads are all done or gone. Thousands of uploads can wait for the
/// same thousands of uploads. With the cache, these are not checked again for each waiting upload. Pure.
struct CompletedRanges {
    /// The number of checked uploads above which a result is cached. Fewer checks are as fast as the cache.
    private static let cachingThreshold = 16

    /// The cached results. Every upload with a number above the value and up to the key is done or gone.
    private var next: [Upload.ID: Upload.ID] = [:]
    /// The ranges of the last query. Only the first `left` of them possibly contain uploads that are not done.
    private var last: (ranges: [ClosedRange<Upload.ID>], left: Int) = ([], 0)
    /// The greatest upload number in any query so far.
    private var greatest = Upload.ID.min

    /// Returns the greatest number in `ranges` whose upload is not done, according to `isOpen`. Returns nil if there is
    /// none. The ranges must be in ascending order.
    ///
    /// - Parameter uploads: All uploads of the queue. A range with more numbers than uploads is not checked number by
    ///   number.
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

    /// Empties the cache if it possibly contains this upload. Call this when a done upload becomes unfinished, or when
    /// an unfinished upload is added to the queue or returns to it.
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
