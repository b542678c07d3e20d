/// The ability of a journal to store changes and to write snapshots.
public enum JournalCondition: Hashable, Sendable {
    /// The journal accepts every change, and writing snapshots works.
    case healthy
    /// The journal accepts every change, but the last snapshot could not be written. No change is lost: the changes
    /// stay in the journal files, which grow.
    case snapshotOverdue(JournalError)
    /// The journal refuses the changes of users' commands. On a full disk, it can still store results that Ferry cannot
    /// request again, such as a server's response. Such results use the reserved disk space until that is used up.
    case refusing(JournalError)
}

extension Journal {
    /// Returns an empty stream. This is the default for journals whose condition never changes.
    public func conditions() -> AsyncStream<JournalCondition> { AsyncStream { $0.finish() } }

    /// Returns `healthy`. This is the default for journals that need no repair.
    public nonisolated(nonsending) func repair() async -> JournalCondition { .healthy }
}
