/// The journal's ability to store changes. The journal reports every change of the condition to its owner.
public enum JournalCondition: Hashable, Sendable {
    /// Every change is accepted, and no snapshot is overdue.
    case sound
    /// Every change is accepted, but the last snapshot could not be written: nothing is lost, and the journal grows.
    case behind(JournalError)
    /// The journal refuses the commands of users. On a full disk, it still accepts findings of the engine, such as a
    /// server's response, while the reserved disk space lasts.
    case refusing(JournalError)
}

extension Journal {
    /// Returns an empty stream. This is the default for journals whose condition never changes.
    public func conditions() -> AsyncStream<JournalCondition> { AsyncStream { $0.finish() } }

    /// Returns `sound`. This is the default for journals that need no repair.
    public nonisolated(nonsending) func repair() async -> JournalCondition { .sound }
}
