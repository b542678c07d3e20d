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

/// The journal's results that the queue has not processed yet. Results that arrive together are processed together.
final class AppendResults: Sendable {
    private let waiting = Mutex<[AppendResult]>([])

    /// Stores a result.
    ///
    /// - Returns: True if it is the only one, so that the caller must make the queue take the results.
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
