extension ConnectivityMonitor {
    /// Statuses as they change: never the same twice in a row, and only the newest for a reader that is slow.
    public struct Statuses: AsyncSequence, Sendable {
        /// One status, different from the one before.
        public typealias Element = Status
        /// Reading cannot fail: where less can be seen, less is told.
        public typealias Failure = Never

        let stream: AsyncStream<Status>

        /// Reads the sequence. It has one reader; ask the monitor for another sequence for another.
        public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

        /// Reads until its task is cancelled.
        public struct Iterator: AsyncIteratorProtocol {
            var base: AsyncStream<Status>.Iterator
            private var last: Status?

            init(base: AsyncStream<Status>.Iterator) {
                self.base = base
            }

            /// nil once the reading task is cancelled, or if the monitor below has ended.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Status? {
                while let status = await base.next(isolation: actor) {
                    // A change and its undoing, both while the reader was away, leave what it knows.
                    guard status != last else { continue }
                    last = status
                    return status
                }
                return nil
            }

            /// Does the same as `next(isolation:)`, for a caller without an actor.
            public mutating func next() async -> Status? { await next(isolation: nil) }
        }
    }
}
