public import FerryFiles

extension Upload {
    /// The condition for an upload's first start. Once met, it stays met.
    public struct StartCondition: Hashable, Sendable {
        /// The earliest time of the start by the wall clock; nil for any time.
        public var notBefore: Date?
        /// The numbers of the uploads that must be done first: ranges in ascending order without overlaps, below the
        /// upload's own number. An upload that is no longer in the queue counts as done. But when a user removes an
        /// unfinished upload, the queue sets the uploads that wait for it to the state `held`.
        public var after: [ClosedRange<ID>]

        public init(notBefore: Date? = nil, after: [ClosedRange<ID>] = []) {
            self.notBefore = notBefore
            self.after = after
        }

        /// The condition; nil if it is empty.
        var ifAny: Self? { self == Self() ? nil : self }

        /// Returns whether the upload with this number must be done first.
        public func waits(for id: ID) -> Bool {
            var (low, high) = (0, after.count)
            while low < high {
                let middle = (low + high) / 2
                if after[middle].upperBound < id { low = middle + 1 } else { high = middle }
            }
            return low < after.count && after[low].contains(id)
        }
    }

    /// True if the upload runs, or will start without an action of a user: when a slot is free, when its wait ends,
    /// when the network returns, or when other uploads are done. Also true for a blocked upload (`BlockedUpload`).
    /// False for a queued upload with a start time (`isScheduled`).
    package var isDue: Bool { state.isPending && !isScheduled }

    /// True if the upload is queued and has a start time. The queue removes the start time once the time has come and
    /// the earlier uploads that this one waits for are done. So this value depends only on the upload, not on the
    /// clock.
    package var isScheduled: Bool { state == .queued && start?.notBefore != nil }

    /// The maximum length of a batch's name, in characters.
    public static let longestBatchName = 64

    /// Returns the reason why a batch's name is invalid, as the end of a sentence: `is empty`; nil for a valid name.
    public static func issue(ofBatch name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.count > longestBatchName { return "is longer than \(longestBatchName) characters" }
        let isControl = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isControl ? "has control characters" : nil
    }
}
