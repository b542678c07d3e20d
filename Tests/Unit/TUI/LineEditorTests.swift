import Testing

@testable import FerryTUI

@Suite struct LineEditorTests {
    @Test func `keys edit where the cursor is`() {
        var line = LineEditor("/out/day")
        for key: Key in [.home, .right, .delete, .character("O"), .end, .backspace] { _ = line.handle(key) }
        #expect(line.text == "/Out/da")
    }

    @Test func `a word ends at a slash`() {
        var line = LineEditor("/out/day3/")
        _ = line.handle(.control("w"))
        #expect(line.text == "/out/")
    }

    @Test func `an empty line takes every editing key`() {
        var line = LineEditor()
        for key: Key in [
            .backspace, .delete, .left, .right, .home, .end, .control("u"), .control("k"), .control("w"),
        ] {
            let isTaken = line.handle(key)
            #expect(isTaken)
        }
        #expect(line.text.isEmpty)
    }
}
