/// The ranges of uploads known to be done or gone, so that uploads that start after the same thousands do not check
/// each of them again. Pure.
struct CompletedRanges {
    /// The length of a range that is checked as quickly as it is looked up.
    private static let shortWay = 16

    /// The next lower number, for each number, that was not done at the last check: all numbers between are done.
    private var next: [Upload.ID: Upload.ID] = [:]
    /// The ranges of the last query, and the number of them, from the first, that are not known to be done.
    private var last: (ranges: [ClosedRange<Upload.ID>], left: Int) = ([], 0)
    /// The greatest number that was checked.
    private var greatest = Upload.ID.min

    /// Returns the greatest number within ranges in ascending order whose upload is not done.
    ///
    /// - Parameter uploads: All uploads: a much longer range is not checked number by number.
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

    /// Notes that an upload that was done, or missing, is unfinished again.
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
        if steps > Self.shortWay { next[range.upperBound] = id }
        return id >= first ? id : nil
    }
}
