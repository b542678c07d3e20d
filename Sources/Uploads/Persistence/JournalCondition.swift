/// The promise that the journal can make now. It tells its owner of every change, so that nobody has to ask.
public enum JournalCondition: Hashable, Sendable {
    /// Every change is taken, and the snapshot is no older than it should be.
    case sound
    /// Every change is taken, but the last snapshot could not be written: nothing is lost, and the journal grows.
    case behind(JournalError)
    /// The journal refuses what people ask for. It still takes what the engine itself finds out, as long as the reserve
    /// lasts.
    case refusing(JournalError)
}

extension Journal {
    /// Returns no conditions, in journals that never change on their own.
    public func conditions() -> AsyncStream<JournalCondition> { AsyncStream { $0.finish() } }

    /// Returns that all is sound, in journals that need no repair.
    public nonisolated(nonsending) func repair() async -> JournalCondition { .sound }
}
