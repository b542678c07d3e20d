import Testing

@testable import FerryTUI

@Suite struct KeyLabelTests {
    private static let bindable: [Key] =
        [
            .up, .down, .left, .right, .shiftUp, .shiftDown, .pageUp, .pageDown, .home, .end, .insert,
            .delete,
            .backspace, .tab, .backTab, .enter, .escape,
        ] + (1...12).map { .function($0) }
        + (0x20..<0x7F).compactMap(Unicode.Scalar.init).map { .character(Character($0)) }
        + "äßд語".map { .character($0) }
        + "abcdefghijklmnopqrstuvwxyz".map { .control($0) }
        + (0x21..<0x7F).compactMap(Unicode.Scalar.init).map { .alt(Character($0)) }

    @Test func `a label is read as the key it was written for`() {
        for key in Self.bindable { #expect(Key(label: key.label) == key, "\(key.label)") }
    }

    @Test(arguments: [
        ("Delete", Key.delete), ("escape", .escape), ("PAGEUP", .pageUp), ("ctrl-A", .control("a")),
        ("Space", .character(" ")), ("alt-X", .alt("X")), ("f10", .function(10)),
    ])
    func `names are taken in full, and in capital and small letters`(label: String, key: Key) {
        #expect(Key(label: label) == key)
    }

    @Test(arguments: [
        "", " ", "xy", "F0", "F13", "Fx", "Ctrl-", "Ctrl-1", "Ctrl-ab", "Alt-", "Alt-ä", "click", "wheel",
        "paste", "answer",
        "Shift-x", "\u{7}", "\u{200B}", "e\u{301}\u{301}",
    ])
    func `a label that names no key is refused`(label: String) {
        #expect(Key(label: label) == nil)
    }

    @Test func `keys said to arrive as others do, and the rest arrive as themselves`() {
        for key in Self.bindable {
            let sent: [UInt8]
            switch key {
            case .control(let letter): sent = [(letter.asciiValue ?? 0) - 0x60]
            case .alt(let character): sent = [0x1B] + Array(String(character).utf8)
            default: continue
            }
            var parser = InputParser()
            let arrived = parser.feed(sent)
            #expect((arrived == [key]) == (key.arrivesAs == nil), "\(key.label)")
        }
    }
}
