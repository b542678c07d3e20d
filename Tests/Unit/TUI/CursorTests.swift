import FerryTestSupport
import FerryUploads
import Testing

@testable import FerryTUI

@Suite struct CursorTests {
    private static let ten: [Upload] = (1...10).map { .make($0) }

    @Test func `the cursor stays on its upload when others go`() {
        var model = Model.make(Self.ten)
        model.type("jjjj")
        _ = model.change(removed: [1, 2, 7])
        #expect(model.list.cursor?.id == 5)
        #expect(model.list.cursorIndex == 2)
    }

    @Test func `the cursor stays on its upload when it moves`() {
        var model = Model.make(Self.ten)
        model.type("jj")
        _ = model.change(.make(3, rank: 99))
        #expect(model.list.cursor == QueuePosition(rank: 99, id: 3))
        #expect(model.list.cursorIndex == 9)
    }

    @Test func `when its upload goes the next takes over, at the end the one before`() {
        var model = Model.make(Self.ten)
        model.type("jj")
        _ = model.change(removed: [3])
        #expect(model.list.cursor?.id == 4)
        model.type("G")
        _ = model.change(removed: [10])
        #expect(model.list.cursor?.id == 9)
        _ = model.change(removed: Array(1...9))
        #expect(model.list.cursor == nil)
    }

    @Test func `the line under the cursor does not move when uploads above it go`() {
        var model = Model.make((1...100).map { .make($0) })
        model.type("G")
        model.type("kkk")
        let line = (model.list.cursorIndex ?? 0) - model.list.top
        _ = model.change(removed: [1, 2, 3])
        #expect((model.list.cursorIndex ?? 0) - model.list.top == line)
    }

    @Test func `at first the cursor is where something runs`() {
        #expect(
            Model.make([.make(1, state: .done), .make(2), .make(3, state: .running)]).list.cursor?.id == 3)
        #expect(Model.make([.make(1, state: .done), .make(2)]).list.cursor?.id == 2)
        #expect(Model.make([.make(1, state: .done)]).list.cursor?.id == 1)
    }

    @Test func `an upload that leaves the tab hands the cursor to a neighbour`() {
        var model = Model.make([.make(1, state: .running), .make(2, state: .running), .make(3)])
        model.type("2")
        #expect(model.list.rows.map(\.id) == [1, 2])
        _ = model.change(.make(1, state: .done))
        #expect(model.list.cursor?.id == 2)
    }

    @Test func `every way of moving keeps the cursor in the list and on the screen`() {
        var dice = SeededGenerator(seed: 11)
        let keys: [Key] = [
            .up, .down, .pageUp, .pageDown, .home, .end, .control("d"), .control("u"),
            .wheel(3, Point(row: 0, column: 0)),
            .character("2"), .character("1"), .character(" "),
        ]
        var model = Model.make((1...60).map { .make($0, state: $0 % 3 == 0 ? .running : .queued) })
        for _ in 0..<500 {
            if let key = keys.randomElement(using: &dice) { _ = model.update(.key(key)) }
            if Int.random(in: 0..<5, using: &dice) == 0 {
                _ = model.update(
                    .resized(
                        Size(
                            rows: .random(in: 1...50, using: &dice),
                            columns: .random(in: 1...130, using: &dice))))
            }
            let index = model.list.cursorIndex ?? -1
            #expect(model.list.rows.indices.contains(index))
            #expect((model.list.top..<(model.list.top + max(1, model.layout.list.count))).contains(index))
        }
    }
}

@Suite struct MarkTests {
    @Test func `space marks and steps down, and actions take the marked`() {
        var model = Model.make((1...5).map { .make($0) })
        model.type("  ")
        #expect(model.list.cursor?.id == 3)
        let effects = model.type("p")
        #expect(effects.commands == [.pause(.ids([1, 2]))])
    }

    @Test func `marks that are not shown are not touched`() {
        var model = Model.make([.make(1, state: .failed), .make(2), .make(3)])
        model.type("1gg ")
        #expect(model.list.marks == [1])
        model.type("3")
        let effects = model.type("p")
        #expect(effects.commands == [.pause(.ids([2]))])
    }

    @Test func `all, the others, none`() {
        var model = Model.make((1...3).map { .make($0) })
        model.type("g *")
        #expect(model.list.marks == [2, 3])
        _ = model.update(.key(.control("a")))
        #expect(model.list.marks == [1, 2, 3])
        _ = model.update(.key(.escape))
        #expect(model.list.marks.isEmpty)
    }

    @Test func `marks of removed uploads go`() {
        var model = Model.make((1...3).map { .make($0) })
        _ = model.update(.key(.control("a")))
        _ = model.change(removed: [2])
        #expect(model.list.marks == [1, 3])
    }

    @Test func `a click on a row that has moved still means the upload`() {
        var model = Model.make((1...5).map { .make($0) })
        let frame = model.frame()
        let target = frame.target(at: Point(row: 5, column: 30))
        _ = model.change(removed: [1])
        if let target { _ = model.update(.clicked(target)) }
        #expect(model.list.cursor?.id == 3)
    }
}
