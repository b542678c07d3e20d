extension Upload {
    /// The condition for the first start of an upload. The queue removes each part once it is met.
    public struct StartCondition: Hashable, Sendable {
        /// The earliest time of the start by the wall clock; nil for any time.
        public var notBefore: Date?
        /// The ascending ranges of lower numbers whose uploads must be done before this one. An upload that is not in
        /// the queue counts as done. If a user removes an unfinished one, this upload is held.
        public var after: [ClosedRange<ID>]

        public init(notBefore: Date? = nil, after: [ClosedRange<ID>] = []) {
            self.notBefore = notBefore
            self.after = after
        }

        var ifAny: Self? { self == Self() ? nil : self }
    }

    /// True if the upload runs or starts by itself, without a start time. The value is true even if another upload for
    /// which it waits needs a user (`BlockedUpload`).
    package var isDue: Bool { state.isPending && !isScheduled }

    /// True if the upload is queued and has a start time. A passed time stays while it waits for other uploads.
    package var isScheduled: Bool { state == .queued && start?.notBefore != nil }

    /// The maximum length of a batch's name, in characters.
    public static let longestBatchName = 64

    /// Returns the reason why the name of a batch is invalid, as the end of a sentence: `is empty`.
    public static func issue(ofBatch name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.count > longestBatchName { return "is longer than \(longestBatchName) characters" }
        let isControl = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isControl ? "has control characters" : nil
    }
}
