public import FerryProtocols

extension UploadQueue {
    /// Limits that hold until a command sets others.
    public struct Configuration: Hashable, Sendable {
        /// Uploads running at once.
        public var concurrency: Int
        /// Uploads running at once to one host; nil for as many as in total.
        public var concurrencyPerHost: Int?
        /// The number of the smallest uploads that take one slot: most of their time goes by with waiting for
        /// responses. An upload takes up a share of a slot for each 128 KiB that it has begun, and never more than the
        /// whole.
        public var smallUploadsPerSlot: Int
        /// Bytes per second by the time of day; scopes that are not named have no limit.
        public var limits: [LimitScope: Timetable]
        /// The rules for how long to wait after failures, and when to stop.
        public var retry: QueueRetryPolicy
        /// Done uploads that stay in the queue; those done before them are in the history alone. Nil for all.
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

    /// The uploads that this engine finished and that left the queue for the history since it started.
    public struct Retired: Hashable, Sendable {
        /// Uploads.
        public var count = 0
        /// Their sizes.
        public var bytes: ByteCount = 0

        /// Makes the value of an engine that has finished nothing.
        public init() {}
    }
}
