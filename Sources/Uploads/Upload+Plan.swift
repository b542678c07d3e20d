public import FerryFiles

extension Upload {
    /// The condition for an upload's first start. Once it holds, it holds for ever.
    public struct StartCondition: Hashable, Sendable {
        /// The earliest moment by the wall clock; nil for any.
        public var notBefore: Date?
        /// Once these are done: ranges of numbers below its own, in ascending order and apart from each other. One that
        /// is not in the queue any more was done.
        public var after: [ClosedRange<ID>]

        public init(notBefore: Date? = nil, after: [ClosedRange<ID>] = []) {
            self.notBefore = notBefore
            self.after = after
        }

        /// The same; nil if it asks for nothing.
        var ifAny: Self? { self == Self() ? nil : self }

        /// True if it waits for this one.
        public func waits(for id: ID) -> Bool {
            var (low, high) = (0, after.count)
            while low < high {
                let middle = (low + high) / 2
                if after[middle].upperBound < id { low = middle + 1 } else { high = middle }
            }
            return low < after.count && after[low].contains(id)
        }
    }

    /// True if it goes as soon as its turn comes, its wait ends or the network is back, and nobody has to do anything.
    /// What is to start after others counts too, as they go first.
    package var isDue: Bool { state.isPending && !isScheduled }

    /// True if it is not to start before a time. A queue takes the condition away when the time has come, of what waits
    /// for others too once they are done, so this changes with the upload and never by itself.
    package var isScheduled: Bool { state == .queued && start?.notBefore != nil }

    /// The longest name of a batch, in characters.
    public static let longestBatchName = 64

    /// Returns the error of a batch's name, as a sentence part; nil if it can be one.
    public static func issue(ofBatch name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.count > longestBatchName { return "is longer than \(longestBatchName) characters" }
        let isControl = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isControl ? "has control characters" : nil
    }
}
