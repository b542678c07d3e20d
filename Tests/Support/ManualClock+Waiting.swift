extension ManualClock {
    /// Returns the value of `task`. Until the task ends, advances the clock by `step` whenever a task sleeps on it.
    /// - Throws: `Eventually.Never` if no task sleeps for 30 s.
    package func value<Value: Sendable>(of task: Task<Value, Never>, steps step: Duration) async throws
        -> Value
    {
        let end = Gate()
        Task {
            _ = await task.value
            end.open()
        }
        while !end.isOpen {
            try await Eventually.holds("a sleeping task, or the end") { end.isOpen || !deadlines.isEmpty }
            if !end.isOpen { advance(by: step) }
        }
        return await task.value
    }
}
