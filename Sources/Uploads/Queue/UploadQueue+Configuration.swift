public import FerryProtocols

extension UploadQueue {
    /// The settings of the queue. Commands can override the limits on bandwidth and on the number of running uploads.
    public struct Configuration: Hashable, Sendable {
        /// The number of slots, and so the number of uploads that can run at once. If `smallUploadsPerSlot` is above 1,
        /// several small uploads can share a slot.
        public var concurrency: Int
        /// The number of slots that the uploads to one host can occupy; nil if one host can occupy all slots.
        public var concurrencyPerHost: Int?
        /// The number of uploads of at most 128 KiB that can run in one slot at the same time. A slot has this many
        /// equal shares, and such an upload occupies one share. A larger upload occupies one share for each started 128
        /// KiB, but at most the whole slot. The setting has no effect while a command sets the number of running
        /// uploads.
        public var smallUploadsPerSlot: Int
        /// The bandwidth limits, which can depend on the time of day. A scope is the group of uploads that share a
        /// limit: all uploads, those to one destination, or those of one batch. A scope without an entry has no limit.
        public var limits: [LimitScope: Timetable]
        /// The rules for retries after failures: the delays, and when to stop.
        public var retry: QueueRetryPolicy
        /// The number of done uploads that stay in the queue. If there are more, the oldest of them move to the
        /// history. They move in groups, so the queue can contain about 100 done uploads more than this number. If the
        /// value is nil, all done uploads stay in the queue.
        public var keptDone: Int?

        public init(
            concurrency: Int = 4, concurrencyPerHost: Int? = nil, smallUploadsPerSlot: Int = 1,
            limits: [LimitScope: Timetable] = [:],
            retry: QueueRetryPolicy = QueueRetryPolicy(), keptDone: Int? = nil
        ) {
            self.concurrency = concurrency
            self.concurrencyPerHost = concurrencyPerHost
            self.smallUploadsPerSlot = max(1, smallUploadsPerSlot)
            self.limits = limits
            self.retry = retry
            self.keptDone = keptDone
        }
    }

    /// The totals of the uploads that this engine (the process that owns the queue) finished, and that have moved from
    /// the queue to the history.
    public struct Retired: Hashable, Sendable {
        /// The number of uploads that this engine finished and that have moved to the history.
        public var count = 0
        /// The sum of the file sizes of the uploads that this engine finished and that have moved to the history, in
        /// bytes.
        public var bytes: ByteCount = 0

        /// Creates the totals of an engine that has finished nothing.
        public init() {}
    }
}
