public import FerryProtocols

extension UploadQueue {
    /// Limits that apply until a command sets others.
    public struct Configuration: Hashable, Sendable {
        /// The number of uploads that run at once.
        public var concurrency: Int
        /// The number of uploads that run at once to one host; nil for the total limit.
        public var concurrencyPerHost: Int?
        /// The number of the smallest uploads that share one slot: they spend most of their time waiting for responses.
        /// An upload occupies a share for each 128 KiB or part of it, and never more than the whole slot.
        public var smallUploadsPerSlot: Int
        /// The limits in bytes per second by the time of day; scopes that are not named have no limit.
        public var limits: [LimitScope: Timetable]
        /// The rules for the delay after failures, and for when to stop retrying.
        public var retry: QueueRetryPolicy
        /// The number of done uploads that stay in the queue; older ones are in the history alone. Nil keeps all.
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
        /// The number of uploads.
        public var count = 0
        /// The sum of their sizes.
        public var bytes: ByteCount = 0

        /// Creates the value of an engine that has finished nothing.
        public init() {}
    }
}
