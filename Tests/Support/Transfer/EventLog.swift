package import FerryTransfer
import Synchronization

/// Keeps events, and opens a gate when one comes.
package final class EventLog: EventMonitor {
    package struct Entry: Sendable {
        package var event: TransferEvent
        package var context: RequestContext
    }

    private let state = Mutex<[Entry]>([])
    private let onEvent: @Sendable (TransferEvent) -> Void

    package init(onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }) { self.onEvent = onEvent }

    package var entries: [Entry] { state.withLock { $0 } }
    package var all: [TransferEvent] { entries.map(\.event) }
    /// The names, without the writes in between.
    package var names: [String] { all.map(\.name).filter { $0 != "sent" } }

    package func count(_ name: String) -> Int { all.count { $0.name == name } }

    package func receive(_ event: TransferEvent, of request: RequestContext) {
        state.withLock { $0.append(Entry(event: event, context: request)) }
        onEvent(event)
    }
}
