import FerryTUI
import FerryUploads
import Testing

@testable import FerryCommand

/// Which events may be told next.
struct HookBacklogTests {
    private static func done(_ id: Upload.ID) -> QueueEvent { .ended(.done, .make(id, .done)) }

    /// All that may begin now.
    private static func begin(_ backlog: inout HookBacklog) -> [HookBacklog.Entry] {
        var entries: [HookBacklog.Entry] = []
        while let entry = backlog.next() { entries.append(entry) }
        return entries
    }

    private static func backlog(of events: [QueueEvent]) -> HookBacklog {
        var backlog = HookBacklog(capacity: 10)
        for event in events { _ = backlog.add(event) }
        return backlog
    }

    @Test func `events of one upload are told one after the other, others meanwhile`() throws {
        var backlog = Self.backlog(of: [.ended(.failed, .make(1, .failed)), Self.done(1), Self.done(2)])
        let begun = Self.begin(&backlog)
        #expect(begun.map(\.event) == [.ended(.failed, .make(1, .failed)), Self.done(2)])
        backlog.finish(begun[0])
        #expect(Self.begin(&backlog).map(\.event) == [Self.done(1)])
        #expect(backlog.count == 0)
        #expect(backlog.runningCount == 2)
    }

    @Test func `that nothing is left is told when all before it has been told`() throws {
        let idle = QueueEvent.idle([.done: 2])
        var backlog = Self.backlog(of: [Self.done(1), Self.done(2), idle, Self.done(3)])
        let begun = Self.begin(&backlog)
        // What came after it does not wait for it, nor it for that.
        #expect(begun.map(\.event.upload) == [1, 2, 3])
        backlog.finish(begun[0])
        #expect(Self.begin(&backlog).isEmpty)
        backlog.finish(begun[1])
        #expect(Self.begin(&backlog).map(\.event) == [idle])
    }

    @Test func `of uploads as many wait as there is room for, and the queue's own events have room beyond`() {
        var backlog = HookBacklog(capacity: 2)
        let taken = [Self.done(1), Self.done(2), Self.done(3), .idle([.done: 3])].map { backlog.add($0) }
        #expect(taken == [true, true, false, true])
        let forgotten = backlog.clear()
        #expect(forgotten == 3)
        #expect(Self.begin(&backlog).isEmpty)
        let isTaken = backlog.add(Self.done(4))
        #expect(isTaken)
        #expect(Self.begin(&backlog).map(\.event.upload) == [4])
    }

    @Test func `ten thousand leave in the order in which they came`() {
        var backlog = HookBacklog(capacity: 10_000)
        for id in 1...10_000 { _ = backlog.add(Self.done(id)) }
        var told: [Upload.ID?] = []
        while let entry = backlog.next() {
            told.append(entry.event.upload)
            backlog.finish(entry)
        }
        #expect(told == Array(1...10_000))
    }
}
