public import FerryProtocols

extension UploadQueue {
    /// The settings of the queue. Commands can override the limits on bandwidth and on the number of running uploads.
    public struct Configuration: Hashable, Sendable {
        /// The number of slots for running uploads. Each upload occupies a whole slot, unless `smallUploadsPerSlot`
        /// lets small uploads share one.
        public var concurrency: Int
        /// The number of slots that the uploads to one host can occupy; nil if one host can occupy all slots.
        public var concurrencyPerHost: Int?
        /// The number of uploads of at most 128 KiB that can share one slot, as they mostly wait for responses. A slot
        /// has this many shares. A larger upload occupies one share for each 128 KiB or part of it, and at most the
        /// whole slot.
        public var smallUploadsPerSlot: Int
        /// The bandwidth limit of each scope by the time of day. A scope without an entry has no limit.
        public var limits: [LimitScope: Timetable]
        /// The rules for the delay after failures, and for when to stop retrying.
        public var retry: QueueRetryPolicy
        /// The number of done uploads that stay in the queue when older ones move to the history. Nil keeps all. The
        /// queue can contain about 100 more until the next move.
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

    /// The totals of the uploads that this engine finished and that have moved from the queue to the history.
    public struct Retired: Hashable, Sendable {
        /// The number of uploads.
        public var count = 0
        /// The sum of the sizes of the uploads, in bytes.
        public var bytes: ByteCount = 0

        /// Creates the totals of an engine that has finished nothing.
        public init() {}
    }
}
