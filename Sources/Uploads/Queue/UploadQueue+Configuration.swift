public import FerryProtocols

extension UploadQueue {
    /// The settings of the queue. Commands can override the limits on bandwidth and on the number of running uploads.
    public struct Configuration: Hashable, Sendable {
        /// The number of slots. A large upload occupies one, and several small ones can share one.
        public var concurrency: Int
        /// The number of slots for the uploads to one host; nil for all slots.
        public var concurrencyPerHost: Int?
        /// The number of equal shares of a slot. An upload occupies one share for each started 64 KiB, and at most the
        /// whole slot. With more than one share, up to four times as many small uploads run at a host if more at once are
        /// faster there. The setting has no effect while a command sets the number of running uploads.
        public var smallUploadsPerSlot: Int
        /// The bandwidth limits by the group of uploads that share one. A scope without an entry has no limit.
        public var limits: [LimitScope: Timetable]
        /// The rules for retries after failures: the delays, and when to stop.
        public var retry: QueueRetryPolicy
        /// The number of done uploads that stay in the queue; nil for all. The oldest move to the history in groups, so
        /// about 100 more can stay.
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

    /// The totals of the uploads that this engine finished and that have moved to the history.
    public struct Retired: Hashable, Sendable {
        /// The number of these uploads.
        public var count = 0
        /// The sum of their file sizes, in bytes.
        public var bytes: ByteCount = 0

        /// Creates the totals of an engine that has finished nothing.
        public init() {}
    }
}
