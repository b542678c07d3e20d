extension ConnectivityMonitor {
    /// The sequence of the current status and of each later change. A slow reader receives only the newest status.
    public struct Statuses: AsyncSequence, Sendable {
        /// A status that differs from the previous element of the sequence.
        public typealias Element = Status
        /// The error type: no error is thrown. If the network cannot be read, the status is `reachable(.other)`.
        public typealias Failure = Never

        let stream: AsyncStream<Status>

        /// Returns the iterator. A sequence has only one reader. For another reader, call `statuses()` again.
        public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

        /// The iterator. It ends when the reading task is cancelled, or the underlying monitor ends its stream.
        public struct Iterator: AsyncIteratorProtocol {
            var base: AsyncStream<Status>.Iterator
            private var last: Status?

            init(base: AsyncStream<Status>.Iterator) { self.base = base }

            /// Returns the next status; nil at the end of the sequence.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Status? {
                while let status = await base.next(isolation: actor) {
                    // A change that was undone while the reader was busy leaves the status that the reader already has.
                    guard status != last else { continue }
                    last = status
                    return status
                }
                return nil
            }
        }
    }
}
