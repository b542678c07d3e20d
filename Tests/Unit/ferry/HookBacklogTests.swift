import FerryTestSupport
import FerryUploads
import Testing

@testable import FerryCommand

/// Tests the events whose hooks may run next.
struct HookBacklogTests {
    private static func done(_ id: Upload.ID) -> QueueEvent { .upload(.ended(.done, .boxed(id, .done))) }

    private static func failed(_ id: Upload.ID) -> QueueEvent {
        .upload(.ended(.failed, .boxed(id, .failed)))
    }

    private static func add(_ event: QueueEvent, to backlog: inout HookBacklog) -> Bool {
        event.name.map { backlog.add(event, $0) } ?? false
    }

    /// Returns all events whose hooks may run now.
    private static func begin(_ backlog: inout HookBacklog) -> [HookBacklog.Entry] {
        var entries: [HookBacklog.Entry] = []
        while let entry = backlog.next() { entries.append(entry) }
        return entries
    }

    private static func backlog(of events: [QueueEvent]) -> HookBacklog {
        var backlog = HookBacklog(capacity: 10)
        for event in events { _ = add(event, to: &backlog) }
        return backlog
    }

    @Test func `events of one upload are delivered one after the other, others meanwhile`() throws {
        var backlog = Self.backlog(of: [Self.failed(1), Self.done(1), Self.done(2)])
        let begun = Self.begin(&backlog)
        #expect(begun.map(\.event) == [Self.failed(1), Self.done(2)])
        backlog.finish(begun[0])
        #expect(Self.begin(&backlog).map(\.event) == [Self.done(1)])
        #expect(backlog.count == 0)
        #expect(backlog.runningCount == 2)
    }

    @Test func `the idle event is delivered when all before it has been delivered`() throws {
        let idle = QueueEvent.idle([.done: 2])
        var backlog = Self.backlog(of: [Self.done(1), Self.done(2), idle, Self.done(3)])
        let begun = Self.begin(&backlog)
        // Later events do not wait for the idle event, and it does not wait for them.
        #expect(begun.map(\.event.upload) == [1, 2, 3])
        backlog.finish(begun[0])
        #expect(Self.begin(&backlog).isEmpty)
        backlog.finish(begun[1])
        #expect(Self.begin(&backlog).map(\.event) == [idle])
    }

    @Test func `a full backlog refuses events of uploads, and still takes the queue's own event`() {
        var backlog = HookBacklog(capacity: 2)
        let taken = [Self.done(1), Self.done(2), Self.done(3), .idle([.done: 3])].map {
            Self.add($0, to: &backlog)
        }
        #expect(taken == [true, true, false, true])
        let forgotten = backlog.clear()
        #expect(forgotten == 3)
        #expect(Self.begin(&backlog).isEmpty)
        let isTaken = Self.add(Self.done(4), to: &backlog)
        #expect(isTaken)
        #expect(Self.begin(&backlog).map(\.event.upload) == [4])
    }

    @Test func `ten thousand leave in the order in which they came`() {
        var backlog = HookBacklog(capacity: 10_000)
        for id in 1...10_000 { _ = Self.add(Self.done(id), to: &backlog) }
        var ids: [Upload.ID?] = []
        while let entry = backlog.next() {
            ids.append(entry.event.upload)
            backlog.finish(entry)
        }
        #expect(ids == Array(1...10_000))
    }
}
