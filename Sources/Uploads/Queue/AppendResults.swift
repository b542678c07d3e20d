import Synchronization

/// The result of one append to the journal.
package struct AppendResult: Sendable {
    let ticket: Ticket
    let result: Result<Void, JournalError>

    package init(ticket: Ticket, result: Result<Void, JournalError>) {
        self.ticket = ticket
        self.result = result
    }
}

/// The results of journal appends that the queue has not processed yet. The queue processes all of them at once.
final class AppendResults: Sendable {
    private let waiting = Mutex<[AppendResult]>([])

    /// Returns true if this is the only stored result. The caller must then make the queue call `takeAll`. If false,
    /// the caller of an earlier `add` has done this.
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
