import Synchronization

/// The result of one append to the journal, the log of the queue's changes on disk. `ticket` identifies the append.
package struct AppendResult: Sendable {
    let ticket: Ticket
    let result: Result<Void, JournalError>

    package init(ticket: Ticket, result: Result<Void, JournalError>) {
        self.ticket = ticket
        self.result = result
    }
}

/// Collects the results of journal appends until the queue processes all of them at once. The journal adds a result
/// without waiting for the queue's actor.
final class AppendResults: Sendable {
    private let waiting = Mutex<[AppendResult]>([])

    /// Stores a result. If this function returns true, the caller must start a task in which the queue calls `takeAll`.
    /// If it returns false, an earlier caller has already started this task.
    func add(_ append: AppendResult) -> Bool {
        waiting.withLock { waiting in
            waiting.append(append)
            return waiting.count == 1
        }
    }

    func takeAll() -> [AppendResult] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
