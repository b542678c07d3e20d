#if os(Linux)
    import FerryConnectivity
    import FerryTestSupport
    import Testing

    extension NetworkNamespace {
        /// Returns the statuses of a monitor inside the namespace.
        func statuses() async throws -> StatusReader<AsyncStream<LinkStatus>> {
            StatusReader(try await inside { SystemLinkMonitor { Issue.record("\($0)") }.statuses() })
        }
    }

    /// Reads statuses one after another. Each read ends after a limited time.
    struct StatusReader<Statuses: AsyncSequence & Sendable>: Sendable
    where Statuses.Element: Sendable, Statuses.Failure == Never {
        struct TimedOut: Error {}

        private let stream: Statuses

        init(_ stream: Statuses) {
            self.stream = stream
        }

        /// Returns the next status that meets `condition`, and skips those before it.
        mutating func next(
            where condition: @escaping @Sendable (Statuses.Element) -> Bool = { _ in true }
        ) async throws -> Statuses.Element? {
            let stream = stream
            return try await withThrowingTaskGroup(of: Statuses.Element?.self) { group in
                group.addTask {
                    for await status in stream where condition(status) { return status }
                    return nil
                }
                group.addTask {
                    try await Task.sleep(for: .seconds(15))
                    throw TimedOut()
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        }
    }
#endif
