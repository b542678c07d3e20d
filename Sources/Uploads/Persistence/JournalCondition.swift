/// The ability of a journal to store changes and to write snapshots.
public enum JournalCondition: Hashable, Sendable {
    /// The journal accepts every change, and writing snapshots works.
    case healthy
    /// The journal accepts every change, but the last snapshot could not be written. The journal files grow.
    case snapshotOverdue(JournalError)
    /// The journal refuses the changes of users' commands. Of the changes `finding`, it still stores some in the
    /// reserved disk space.
    case refusing(JournalError)
}

extension Journal {
    /// Returns an empty stream. This is the default for journals whose condition never changes.
    public func conditions() -> AsyncStream<JournalCondition> { AsyncStream { $0.finish() } }

    /// Returns `healthy`. This is the default for journals that need no repair.
    public nonisolated(nonsending) func repair() async -> JournalCondition { .healthy }
}
