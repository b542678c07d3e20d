extension ConnectivityMonitor {
    /// Waits for the network. Returns at once if it is known to be there.
    ///
    /// - Parameter limit: How long to wait at most, by `clock`.
    /// - Returns: Whether it is there; false after `limit`, as soon as the task is cancelled, or if the monitor
    ///   below has ended.
    public func waitUntilReachable<C: Clock>(
        upTo limit: Duration, clock: C = ContinuousClock()
    ) async -> Bool where C.Duration == Duration {
        if isReachable { return true }
        let deadline = clock.now.advanced(by: limit)
        // Here and not in the task below, so that the watching has begun before the clock is looked at.
        let statuses = statuses()
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { await statuses.contains { $0.isReachable } }
            group.addTask {
                try? await clock.sleep(until: deadline, tolerance: nil)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
