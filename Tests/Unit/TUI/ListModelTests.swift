import FerryProtocols
import FerryTestSupport
import FerryUploads
import Testing

@testable import FerryTUI

/// Tests the list without the whole screen.
struct ListModelTests {
    private static func list(_ uploads: [Upload]) -> ListModel {
        var list = ListModel()
        list.arrange(Layout(Size(rows: 24, columns: 80)))
        list.apply(QueueUpdate(isComplete: true, changed: uploads, removed: [], status: EngineStatus()))
        list.startCursor()
        return list
    }

    private static func change(_ changed: [Upload], removed: [Upload.ID] = []) -> QueueUpdate {
        QueueUpdate(isComplete: false, changed: changed, removed: removed, status: EngineStatus())
    }

    @Test func `an action that is not about the list alone is left to the screen`() {
        var list = Self.list([.make(1)])
        let isDone = [Action.down, .remove].map { list.update($0) }
        #expect(isDone == [true, false])
    }

    @Test func `a neighbour takes the cursor of an upload that is removed`() {
        var list = Self.list((1...3).map { .make($0) })
        _ = list.update(.down)
        list.apply(Self.change([], removed: [2]))
        #expect(list.cursor?.id == 3)
    }

    @Test func `a neighbour takes the cursor of a row that the filter hides after a bulk update`() {
        var list = Self.list((1...1500).map { .make($0, state: .waiting(5)) })
        list.narrow(to: "state:retry")
        _ = list.update(.down)
        #expect(list.cursor?.id == 2)
        list.apply(Self.change((1...1200).map { .make($0, state: .running) }))
        #expect(list.rows.map(\.id) == Array(1201...1500))
        #expect(list.cursor?.id == 1201)
    }

    @Test func `the row under the cursor stays in view when a bulk update moves it`() throws {
        var list = Self.list((1...1500).map { .make($0, size: ByteCount($0)) })
        list.sort(by: .size)
        #expect(list.cursorIndex == 1499)
        list.apply(Self.change((1...1200).map { .make($0, size: ByteCount($0 == 1 ? 9999 : $0)) }))
        #expect(list.cursor?.id == 1)
        let index = try #require(list.cursorIndex)
        #expect(index == 0)
        #expect((list.top..<(list.top + list.layout.list.count)).contains(index))
    }

    @Test func `marks go with their uploads`() {
        var list = Self.list((1...3).map { .make($0) })
        _ = list.update(.markAll)
        list.apply(Self.change([], removed: [2]))
        #expect(list.marks == [1, 3])
    }

    @Test func `a jump leaves the tab and the filter that hide the upload`() {
        var list = Self.list([.make(1, state: .failed), .make(2)])
        list.narrow(to: "state:failed")
        list.show(.failed)
        let isThere = list.jump(to: 2)
        #expect(isThere)
        #expect(list.tab == .all)
        #expect(list.table.filter == nil)
        #expect(list.cursor?.id == 2)
    }

    @Test func `a jump to an upload that is gone leaves everything as it is`() {
        var list = Self.list([.make(1), .make(2)])
        let isThere = list.jump(to: 9)
        #expect(!isThere)
        #expect(list.cursor?.id == 1)
    }

    @Test func `a second click is a double click only on the same row and soon`() {
        var list = Self.list([.make(1), .make(2)])
        let isDouble = [(1, 10), (2, 10.1), (2, 10.2), (2, 10.3), (2, 20)].map { id, now in
            list.click(id, now: now)
        }
        #expect(isDouble == [false, false, true, false, false])
    }
}

struct UploadStoreTests {
    @Test func `the store holds what a dictionary would hold`() {
        var dice = SeededGenerator(seed: 9)
        var (store, truth) = (UploadStore(), [Upload.ID: Upload]())
        for step in 0..<2000 {
            let id = Int.random(in: 1...50, using: &dice)
            if Bool.random(using: &dice) {
                let upload = Upload.make(id, size: Int64(step))
                store.put(upload)
                truth[id] = upload
            } else {
                store.remove(id)
                truth[id] = nil
            }
            #expect(store.all.count == truth.count)
            #expect(store[id] == truth[id])
        }
        #expect(Dictionary(uniqueKeysWithValues: store.all.map { ($0.id, $0) }) == truth)
    }
}
