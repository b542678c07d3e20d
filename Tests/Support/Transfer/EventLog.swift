package import FerryTransfer
import Synchronization

/// A monitor that keeps all events, and can open a gate at a chosen event.
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
    /// The names of the events, without the `sent` events.
    package var names: [String] { all.map(\.name).filter { $0 != "sent" } }

    package func count(_ name: String) -> Int { all.count { $0.name == name } }

    package func receive(_ event: TransferEvent, of request: RequestContext) {
        state.withLock { $0.append(Entry(event: event, context: request)) }
        onEvent(event)
    }
}
