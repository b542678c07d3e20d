import FerryStateSimulation
import Testing

@testable import FerryUploads

@Suite(.timeLimit(.minutes(10)))
struct UpdateListenersTests {
    @Test func `a change before the end is delivered after the whole queue`() async {
        let listeners = UpdateListeners()
        let updates = listeners.add(PendingUpdates(of: QueueTable(), EngineStatus()))
        listeners.publish(changed: [], removed: [7], status: EngineStatus())
        listeners.finish()
        var seen: [QueueUpdate] = []
        for await update in updates { seen.append(update) }
        #expect(seen.map(\.isComplete) == [true, false])
        #expect(seen.last?.removed == [7])
    }

    @Test func `all pages of a change of many uploads are delivered, also after the end`() async {
        let count = UpdateListeners.pageSize + 1
        let table = QueueTable((1...count).lazy.map { .make($0) })
        let listeners = UpdateListeners()
        let updates = listeners.add(PendingUpdates(of: QueueTable(), EngineStatus()))
        listeners.publish(changed: table.ids, in: table, removed: [], status: EngineStatus())
        listeners.finish()
        var seen: [Int] = []
        for await update in updates { seen.append(update.changed.count) }
        #expect(seen == [0, count - 1, 1])
    }

    @Test func `a client that knows the queue gets only what changes`() async {
        let listeners = UpdateListeners()
        let updates = listeners.add(PendingUpdates())
        listeners.publish(changed: [.make(1)], removed: [7], status: EngineStatus())
        listeners.finish()
        var seen: [QueueUpdate] = []
        for await update in updates { seen.append(update) }
        #expect(seen.map(\.isComplete) == [false])
        #expect(seen.first?.changed.map(\.id) == [1])
        #expect(seen.first?.removed == [7])
    }

    @Test func `a listener who stops reading is forgotten`() async {
        let listeners = UpdateListeners()
        do {
            let updates = listeners.add(PendingUpdates(of: QueueTable(), EngineStatus()))
            for await _ in updates { break }
            #expect(!listeners.isEmpty)
        }
        #expect(listeners.isEmpty)
    }
}
