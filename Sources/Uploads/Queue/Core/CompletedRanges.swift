/// A cache of number ranges whose uploads are all done or gone. Thousands of uploads may wait for the same thousands,
/// and must not check each of them again. Pure.
struct CompletedRanges {
    /// The number of uploads up to which checking them again is as fast as a cached result.
    private static let cachingThreshold = 16

    /// The cached results: each value is the greatest number up to its key that was not done at the last check.
    private var next: [Upload.ID: Upload.ID] = [:]
    /// The ranges of the last query. The first `left` of them are not known to be done.
    private var last: (ranges: [ClosedRange<Upload.ID>], left: Int) = ([], 0)
    /// The greatest number in any query.
    private var greatest = Upload.ID.min

    /// Returns the greatest number in ranges, given in ascending order, whose upload is not done; nil if there is none.
    ///
    /// - Parameter uploads: All uploads. A range with many more numbers than uploads is not checked number by number.
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

    /// Empties the cache if it may contain this upload, which was done or missing, and is unfinished now.
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
