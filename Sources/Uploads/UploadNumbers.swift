public import FerryProtocols
import FerryTransfer

/// The numbers of uploads, as users type them: `3` is one upload, `3-7` are all existing uploads from 3 to 7, and
/// commas or spaces separate several.
public struct UploadNumbers: Hashable, Codable, Sendable {
    /// The ranges as they were typed. They can overlap, and span billions of numbers.
    public let ranges: [ClosedRange<Upload.ID>]

    public init(_ ranges: [ClosedRange<Upload.ID>]) { self.ranges = ranges }

    /// Reads the numbers and ranges in `words`, such as `3-7` or `1,2`.
    ///
    /// - Throws: `UploadFailure` (`permanent`) for other text, a number below 1, or a range that runs backwards.
    public init(words: some Sequence<some StringProtocol>) throws(UploadFailure) {
        var ranges: [ClosedRange<Upload.ID>] = []
        for word in words {
            var parts = String(word).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            // A comma may end a word, as in `1, 2`.
            if parts.count > 1, parts.last == "" { parts.removeLast() }
            for part in parts { ranges.append(try Self.range(part)) }
        }
        self.ranges = ranges
    }

    /// Creates ascending ranges that contain exactly these `ids`. Consecutive ids form one range.
    package init(joining ids: [Upload.ID]) {
        var ranges: [ClosedRange<Upload.ID>] = []
        for id in ids.sorted() {
            if let last = ranges.last, id - 1 <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...id
            } else {
                ranges.append(id...id)
            }
        }
        self.ranges = ranges
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The numbers in all ranges. Only for ranges that `init(joining:)` made, as those of a user can span billions.
    package var all: [Upload.ID] { ids(atMost: .max) ?? [] }

    /// Returns the numbers in all ranges; nil if there are more than `limit`.
    package func ids(atMost limit: Int) -> [Upload.ID]? {
        var count = 0
        for range in ranges {
            let (length, overflow) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
            guard !overflow, length < limit - count else { return nil }
            count += length + 1
        }
        var ids: [Upload.ID] = []
        ids.reserveCapacity(count)
        for range in ranges { ids += range }
        return ids
    }

    private static func range(_ word: String) throws(UploadFailure) -> ClosedRange<Upload.ID> {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = ends.compactMap(number)
        guard numbers.count == ends.count, let first = numbers.first, let last = numbers.last, ends.count <= 2
        else { throw UploadFailure(.permanent, "'\(word)' is not the number of an upload") }
        guard first <= last else {
            throw UploadFailure(.permanent, "'\(word)' runs backwards: \(last)-\(first) is meant")
        }
        return first...last
    }

    private static func number(_ text: Substring) -> Upload.ID? {
        guard text.first != "+", let id = Upload.ID(text), id > 0 else { return nil }
        return id
    }

    /// The selection of these uploads: `ids` if each range contains only one number, otherwise `numbers`.
    public var selection: UploadSelection {
        ranges.allSatisfy { $0.lowerBound == $0.upperBound } ? .ids(ranges.map(\.lowerBound)) : .numbers(self)
    }

    /// Returns those of `ids` that are in a range, in ascending order, and the ranges that contain none of them.
    public func found(
        among ids: some Sequence<Upload.ID>
    ) -> (ids: [Upload.ID], missing: [ClosedRange<Upload.ID>]) {
        let known = ids.sorted()
        var found: [Upload.ID] = []
        var missing: [ClosedRange<Upload.ID>] = []
        // In the sequence of lower bounds, each id is visited once, however many ranges overlap.
        var next = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let start = Self.firstIndex(of: range.lowerBound, in: known)
            guard start < known.count, known[start] <= range.upperBound else {
                missing.append(range)
                continue
            }
            next = max(next, start)
            while next < known.count, known[next] <= range.upperBound {
                found.append(known[next])
                next += 1
            }
        }
        return (found, missing)
    }

    /// The maximum number of ranges that `found(where:)` tests, and of ids in each. Sorting a long queue takes longer.
    private static let mostTested = 64

    /// Returns the same as `found(among:)` from a test of each id in the ranges. Returns nil if a range begins below 1,
    /// or if there is too much to test.
    func found(where isKnown: (Upload.ID) -> Bool) -> (ids: [Upload.ID], missing: [ClosedRange<Upload.ID>])? {
        let most = Self.mostTested
        guard ranges.count <= most,
            ranges.allSatisfy({ $0.lowerBound > 0 && $0.upperBound - $0.lowerBound < most })
        else { return nil }
        var found: Set<Upload.ID> = []
        var missing: [ClosedRange<Upload.ID>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let ids = range.filter(isKnown)
            if ids.isEmpty { missing.append(range) }
            found.formUnion(ids)
        }
        return (found.sorted(), missing)
    }

    static func first(in range: ClosedRange<Upload.ID>, of known: [Upload.ID]) -> Upload.ID? {
        let index = firstIndex(of: range.lowerBound, in: known)
        return index < known.count && known[index] <= range.upperBound ? known[index] : nil
    }

    /// Returns the index of the first element of the sorted `known` that is at least `id`.
    private static func firstIndex(of id: Upload.ID, in known: [Upload.ID]) -> Int {
        var (low, high) = (0, known.count)
        while low < high {
            let middle = (low + high) / 2
            if known[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The numbers in the form that users type, such as `17,20-30`.
    package var text: String {
        ranges.map { range in
            range.lowerBound == range.upperBound
                ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }.joined(separator: ",")
    }

    /// Returns a range in words: `17`, or `20 to 30`.
    public static func name(_ range: ClosedRange<Upload.ID>) -> String {
        range.lowerBound == range.upperBound
            ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
}
