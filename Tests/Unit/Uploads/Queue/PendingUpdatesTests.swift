import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Testing

@testable import FerryUploads

struct PendingUpdatesTests {
    private static let count = 2 * UpdateListeners.pageSize + 1
    private static let table = QueueTable((1...count).lazy.map { .make($0) })

    /// The updates of a client that has read the whole queue and then nothing of `changes`.
    private func updates(after changes: (inout PendingUpdates) -> Void) -> [QueueUpdate] {
        var pending = PendingUpdates(of: QueueTable(), EngineStatus())
        _ = pending.take()
        changes(&pending)
        var updates: [QueueUpdate] = []
        while let update = pending.take() { updates.append(update) }
        #expect(pending.isEmpty)
        return updates
    }

    @Test func `a change of many uploads arrives in several updates, each upload once`() {
        let updates = updates {
            $0.add(changed: Array(1...Self.count), in: Self.table, removed: [], EngineStatus())
        }
        #expect(updates.map(\.changed.count) == [UpdateListeners.pageSize, UpdateListeners.pageSize, 1])
        #expect(updates.flatMap(\.changed).map(\.id) == Array(1...Self.count))
        #expect(updates.allSatisfy { !$0.isComplete })
        #expect(updates.map(\.isContinued) == [true, true, false])
    }

    @Test func `an upload that changed again is delivered only in its newest state`() {
        let last = Upload.make(Self.count, state: .paused(.user))
        let updates = updates { pending in
            pending.add(changed: Array(1...Self.count), in: Self.table, removed: [], EngineStatus())
            pending.add(changed: [last], removed: [], EngineStatus())
        }
        #expect(updates.flatMap(\.changed).filter { $0.id == last.id } == [last])
    }

    @Test func `an upload that was removed after its change is not delivered`() {
        let updates = updates { pending in
            pending.add(changed: Array(1...Self.count), in: Self.table, removed: [], EngineStatus())
            pending.add(changed: [], removed: [Self.count], EngineStatus())
        }
        #expect(updates.flatMap(\.removed) == [Self.count])
        #expect(!updates.flatMap(\.changed).contains { $0.id == Self.count })
    }

    @Test func `a second change of many uploads delivers the rest of the first, in the newest state`() {
        var later = Self.table
        later.update(.make(1, state: .paused(.user)))
        later.removeValue(forKey: 2)
        let updates = updates { pending in
            pending.add(changed: [1, 2, 3], in: Self.table, removed: [], EngineStatus())
            pending.add(changed: [.make(4)], removed: [9], EngineStatus())
            pending.add(changed: [5, 9], in: later, removed: [2], EngineStatus())
        }
        #expect(updates.flatMap(\.changed).map(\.id) == [1, 3, 4, 5, 9])
        #expect(updates.flatMap(\.changed).first?.state == .paused(.user))
        #expect(updates.flatMap(\.removed) == [2])
    }

    @Test func `a long change has eight pages and a rest`() {
        let table = QueueTable((1...90_001).lazy.map { .make($0) })
        let updates = updates { $0.add(changed: table.ids, in: table, removed: [], EngineStatus()) }
        #expect(updates.map(\.changed.count) == [Int](repeating: 11_250, count: 8) + [1])
    }

    @Test func `a new upload is not delivered before the uploads with lower numbers`() {
        let new = Upload.make(Self.count + 1)
        let updates = updates { pending in
            pending.add(changed: Array(1...Self.count), in: Self.table, removed: [], EngineStatus())
            pending.add(changed: [new], removed: [], EngineStatus())
        }
        #expect(updates.flatMap(\.changed).map(\.id) == Array(1...Self.count + 1))
    }

    @Test func `the whole queue comes first, and changes since then follow`() {
        var pending = PendingUpdates(of: Self.table, EngineStatus())
        pending.add(changed: [.make(1, state: .paused(.user))], removed: [], EngineStatus())
        let whole = pending.take()
        #expect(whole?.isComplete == true)
        #expect(whole?.changed.first?.state == .queued)
        #expect(pending.take()?.changed.map(\.state) == [.paused(.user)])
        #expect(pending.take() == nil)
    }
}
