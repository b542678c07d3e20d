public import FerryFiles

extension Upload {
    /// The condition for the first start of an upload: a time, other uploads that must be done before, or both. Once a
    /// part of the condition is met, the queue removes that part.
    public struct StartCondition: Hashable, Sendable {
        /// The earliest time of the start by the wall clock; nil for any time.
        public var notBefore: Date?
        /// The numbers of the uploads that must be done before this upload starts. The ranges are ascending, do not
        /// overlap, and are below this upload's own number. An upload that is no longer in the queue counts as done.
        /// But if a user removes an unfinished upload, the uploads that wait for it are held until a user decides.
        public var after: [ClosedRange<ID>]

        public init(notBefore: Date? = nil, after: [ClosedRange<ID>] = []) {
            self.notBefore = notBefore
            self.after = after
        }

        var ifAny: Self? { self == Self() ? nil : self }
    }

    /// True if the upload runs, or starts as soon as a slot, the network, the delay of a retry or other uploads allow
    /// it. The value is true even if one of those other uploads needs a user first (`BlockedUpload`). It is false for
    /// an upload that itself needs a user, and for a queued upload with a start time (`isScheduled`).
    package var isDue: Bool { state.isPending && !isScheduled }

    /// True if the upload is queued and has a start time, even if this time has passed. The queue removes a passed time
    /// at once, unless the upload also waits for other uploads. Then the queue removes it when one of those is done.
    package var isScheduled: Bool { state == .queued && start?.notBefore != nil }

    /// The maximum length of a batch's name, in characters.
    public static let longestBatchName = 64

    /// Returns the reason why the name of a batch is invalid; nil if the name is valid. The reason completes a sentence
    /// about the name, such as `is empty`.
    public static func issue(ofBatch name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.count > longestBatchName { return "is longer than \(longestBatchName) characters" }
        let isControl = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isControl ? "has control characters" : nil
    }
}
