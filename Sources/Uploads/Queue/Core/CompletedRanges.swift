/// The numbers whose uploads are known to be done or gone, so that the uploads that start after the same thousands do
/// not each look at all of these. Pure.
struct CompletedRanges {
    /// A way this short is as quickly gone again as it is looked up.
    private static let shortWay = 16

    /// Below a number, the next that was not done when somebody last looked: all from there up to the number are.
    private var next: [Upload.ID: Upload.ID] = [:]
    /// The ranges of the last question, and how many of them, from the first, are not known to be done.
    private var last: (ranges: [ClosedRange<Upload.ID>], left: Int) = ([], 0)
    /// No number above it has been looked at.
    private var greatest = Upload.ID.min

    /// The greatest number within ranges in ascending order whose upload is not done.
    ///
    /// - Parameter uploads: All there are: a range that is much longer is not gone through number by number.
    mutating func lastOpen(
        in ranges: [ClosedRange<Upload.ID>], of uploads: UploadTable, isOpen: (Upload.ID) -> Bool
    ) -> Upload.ID? {
        // Uploads that were added together share theirs, and then this compares nothing.
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

    /// Notes that an upload that was done, or not there, is to be done again.
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
