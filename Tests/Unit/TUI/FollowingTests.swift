import FerryUploads
import Testing

@testable import FerryTUI

/// Tests how the list follows the running uploads. It has 19 rows at 80x24.
@Suite struct FollowingTests {
    private static func hundred(running: Upload.ID) -> Model {
        Model.make(
            (1...100).map { .make($0, state: $0 < running ? .done : $0 == running ? .running : .queued) })
    }

    /// Ends one upload and starts another, in one update.
    private static func advance(_ model: inout Model, from old: Upload.ID, to new: Upload.ID) {
        _ = model.change(.make(old, state: .done), .make(new, state: .running))
    }

    @Test func `while the user does not move, the list follows the running uploads`() {
        var model = Self.hundred(running: 1)
        Self.advance(&model, from: 1, to: 50)
        #expect(model.list.cursor?.id == 50)
        #expect(model.frame().description.contains("file-50.bin"))
    }

    @Test func `nothing moves as long as something runs within sight`() {
        var model = Self.hundred(running: 1)
        _ = model.change(.make(60, state: .running))
        Self.advance(&model, from: 1, to: 10)
        #expect(model.list.cursor?.id == 1)
        #expect(model.list.top == 0)
    }

    @Test func `the cursor stays on its upload while uploads fail in turn`() {
        var model = Self.hundred(running: 1)
        for id in 1..<60 { _ = model.change(.make(id, state: .waiting(5)), .make(id + 1, state: .running)) }
        #expect(model.list.cursor?.id == 1)
        #expect(model.list.top == 0)
        _ = model.change(.make(1, state: .done))
        #expect(model.list.cursor?.id == 60)
    }

    @Test func `a person who moves is left alone`() {
        var model = Self.hundred(running: 1)
        model.type("j")
        Self.advance(&model, from: 1, to: 50)
        #expect(model.list.cursor?.id == 2)
        #expect(model.list.top == 0)
    }

    @Test func `the wheel and a click count as moves`() {
        for message in [Message.key(.wheel(1, Point(row: 5, column: 5))), .clicked(.upload(3))] {
            var model = Self.hundred(running: 1)
            _ = model.update(message)
            Self.advance(&model, from: 1, to: 50)
            #expect(model.list.top == 0)
        }
    }

    @Test func `a key that comes just as the list scrolls changes nothing`() {
        var model = Self.hundred(running: 1)
        Self.advance(&model, from: 1, to: 50)
        #expect(model.type("p").commands.isEmpty)
        #expect(model.type("p").commands == [.pause(.ids([50]))])
    }

    @Test func `a key long after the list scrolled counts at once`() {
        var model = Self.hundred(running: 1)
        Self.advance(&model, from: 1, to: 50)
        _ = model.pass(to: 1)
        #expect(model.type("p").commands == [.pause(.ids([50]))])
    }

    @Test func `a question on the screen keeps what it is about under the cursor`() {
        var model = Self.hundred(running: 1)
        model.type("q")
        Self.advance(&model, from: 1, to: 50)
        #expect(model.list.cursor?.id == 1)
    }
}
