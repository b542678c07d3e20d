import CFerryTerminal
import FerryUploads
import Synchronization

/// Passes messages to the thread of the screen or the task of the line mode. The first in an empty mailbox wakes it.
///
/// Updates of the queue are merged, so while the terminal is stalled, the mailbox holds at most one change per upload.
/// Progress does not pass through the mailbox: the receiver samples it.
final class Mailbox: Sendable {
    struct Contents: Sendable {
        var update: QueueUpdate?
        var messages: [Message] = []
        var isClosed = false

        var isEmpty: Bool { update == nil && messages.isEmpty && !isClosed }
    }

    private struct State: Sendable {
        var contents = Contents()
        /// The index of each upload in `contents.update.changed`. Nil until the first merge: most updates need no
        /// merge, and indices of the whole queue would be large.
        var indices: [Upload.ID: Int]?
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void

    init(wake: @escaping @Sendable () -> Void = { terminal_wake() }) { self.wake = wake }

    func post(_ message: Message) {
        change { state in
            if case .queue(let update) = message {
                Self.merge(update, into: &state)
            } else {
                state.contents.messages.append(message)
            }
        }
    }

    func close() { change { $0.contents.isClosed = true } }

    func drain() -> Contents {
        state.withLock { state in
            defer { state = State() }
            return state.contents
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let wasEmpty = state.withLock { state in
            defer { body(&state) }
            return state.contents.isEmpty
        }
        if wasEmpty { wake() }
    }

    private static func merge(_ update: QueueUpdate, into state: inout State) {
        guard var merged = state.contents.update, !update.isComplete else {
            state.contents.update = update
            state.indices = nil
            return
        }
        state.contents.update = nil  // so that the arrays are not copied
        var indices = state.indices.take() ?? [:]
        if indices.isEmpty {
            for (index, upload) in merged.changed.enumerated() { indices[upload.id] = index }
        }
        if !merged.removed.isEmpty {
            let back = Set(update.changed.map(\.id))
            merged.removed.removeAll(where: back.contains)
        }
        for upload in update.changed {
            if let index = indices[upload.id] {
                merged.changed[index] = upload
            } else {
                indices[upload.id] = merged.changed.count
                merged.changed.append(upload)
            }
        }
        state.indices = indices
        merged.removed += update.removed
        merged.status = update.status
        state.contents.update = merged
    }
}
