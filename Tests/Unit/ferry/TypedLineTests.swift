import Testing

@testable import FerryCommand

/// Tests reading a line from the terminal without showing it.
struct TypedLineTests {
    private func ending(of bytes: [UInt8]) -> TypedLine.Ending? {
        var line = TypedLine()
        for byte in bytes { if let ending = line.take(byte) { return ending } }
        return nil
    }

    @Test(arguments: [
        ("secret\n", "secret"), ("se\u{7F}\u{7F}x\r", "x"), ("grüß\u{7F}\u{7F}\u{8}o\n", "go"),
        ("wrong\u{15}right\n", "right"), ("\u{7F}\u{7F}a\n", "a"), ("a\u{1B}\u{1}b\n", "ab"),
        ("ab\u{4}", "ab"),
        ("\n", ""),
    ])
    func `keys take back what was typed`(typed: String, line: String) {
        #expect(ending(of: Array(typed.utf8)) == .given(line))
    }

    @Test func `Ctrl-C interrupts`() {
        #expect(ending(of: Array("abc\u{3}".utf8)) == .interrupted)
    }

    @Test func `Ctrl-D at the beginning is no input`() {
        #expect(ending(of: [4]) == .nothing)
    }
}
