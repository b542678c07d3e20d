extension ConnectivityMonitor {
    /// The sequence of status changes. It never repeats a status, and a slow reader receives only the newest.
    public struct Statuses: AsyncSequence, Sendable {
        /// One status, different from the one before.
        public typealias Element = Status
        /// Reading cannot fail: a monitor that sees less of the system reports less.
        public typealias Failure = Never

        let stream: AsyncStream<Status>

        /// Reads the sequence, which has one reader. For another reader, ask the monitor for another sequence.
        public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

        /// An iterator that reads until its task is cancelled.
        public struct Iterator: AsyncIteratorProtocol {
            var base: AsyncStream<Status>.Iterator
            private var last: Status?

            init(base: AsyncStream<Status>.Iterator) {
                self.base = base
            }

            /// Returns the next status; nil once the reading task is cancelled or the underlying monitor has ended.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Status? {
                while let status = await base.next(isolation: actor) {
                    // A change that was undone while the reader was busy leaves the status that the reader already has.
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
