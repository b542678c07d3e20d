/// What the journal can promise now. It tells its owner of every change, so that nobody has to ask.
public enum JournalCondition: Hashable, Sendable {
    /// Every change is taken, and the snapshot is no older than it should be.
    case sound
    /// Every change is taken, but the last snapshot could not be written: nothing is lost, and the journal grows.
    case behind(JournalError)
    /// What people ask for is refused. What the engine itself finds out is still taken as long as the reserve lasts.
    case refusing(JournalError)
}

extension Journal {
    /// For journals without a reserve, the same as `append`.
    public nonisolated(nonsending) func appendFinding(
        _ changes: [QueueChange], durably: Bool
    ) async throws(JournalError) {
        try await append(changes, durably: durably)
    }

    /// For journals that never change on their own.
    public func conditions() -> AsyncStream<JournalCondition> { AsyncStream { $0.finish() } }

    /// For journals that need no repair.
    public nonisolated(nonsending) func repair() async -> JournalCondition { .sound }
}
