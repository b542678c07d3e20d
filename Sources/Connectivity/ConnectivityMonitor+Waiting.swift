extension ConnectivityMonitor {
    /// Waits until the destination is reachable. Returns at once if `isReachable` is already true.
    ///
    /// - Parameter limit: The longest wait, measured by `clock`.
    /// - Returns: True if the destination is reachable. False if `limit` has passed, the task is cancelled, or the
    ///   underlying network monitor has ended its stream.
    public func waitUntilReachable<C: Clock>(
        upTo limit: Duration, clock: C = ContinuousClock()
    ) async -> Bool where C.Duration == Duration {
        if isReachable { return true }
        let deadline = clock.now.advanced(by: limit)
        // Called here and not in the task below, so that the watch begins before the wait.
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
