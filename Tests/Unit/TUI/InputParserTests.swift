import FerryTestSupport
import Testing

@testable import FerryTUI

@Suite struct InputParserTests {
    private static let script: [UInt8] = Array(
        ("aä報👍\u{1B}[A\u{1B}[1;2B\u{1B}OP\u{1B}[3~\u{1B}[<0;12;5M\u{1B}[<0;12;5m\u{1B}[<65;1;1M\u{1B}[<2;3;4M\u{1B}[1;2R\u{1B}[2;3R"
            + "\u{1B}[200~one\rtwo\u{1B}[31m\u{1B}[201~\u{1B}]11;rgb:0/0/0\u{7}\u{1B}P1$r\u{1B}\\\u{1B}x\r\t\u{7F}\u{3}z")
            .utf8)

    private func keys(_ pieces: [ArraySlice<UInt8>]) -> [Key] {
        var parser = InputParser()
        return pieces.flatMap { parser.feed($0) } + parser.flush()
    }

    @Test func `every sequence of a long script becomes its key`() {
        let expected: [Key] = [
            .character("a"), .character("ä"), .character("報"), .character("👍"), .up, .shiftDown, .function(1),
            .delete, .press(button: 0, Point(row: 4, column: 11)), .release(Point(row: 4, column: 11)),
            .wheel(3, Point(row: 0, column: 0)), .press(button: 2, Point(row: 3, column: 2)),
            .function(3), .cursorPosition(Point(row: 1, column: 2)),
            .paste("one\ntwo\u{1B}[31m", isComplete: true), .alt("x"), .enter, .tab, .backspace,
            .control("c"),
            .character("z"),
        ]
        #expect(keys([Self.script[...]]) == expected)
    }

    @Test func `cutting the bytes anywhere gives the same keys`() {
        let whole = keys([Self.script[...]])
        for cut in Self.script.indices {
            #expect(keys([Self.script[..<cut], Self.script[cut...]]) == whole, "cut at \(cut)")
        }
        #expect(keys(Self.script.indices.map { Self.script[$0...$0] }) == whole)
    }

    @Test func `random bytes never stop the parser`() {
        var dice = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...60, using: &dice)).map { _ in
                Bool.random(using: &dice)
                    ? UInt8.random(in: 0...255, using: &dice)
                    : [0x1B, 0x5B, 0x3C, 0x4F].randomElement(using: &dice) ?? 0x1B
            }
            var parser = InputParser()
            _ = parser.feed(bytes)
            _ = parser.flush()
            // In any state, the end of a paste and a flush make the parser read keys again.
            _ = parser.feed(Array("\u{1B}[201~\u{7}".utf8))
            _ = parser.flush()
            #expect(parser.feed([0x71]) == [.character("q")])
        }
    }

    @Test func `a lone escape becomes a key only when nothing follows`() {
        var parser = InputParser()
        #expect(parser.feed([0x1B]) == [])
        #expect(parser.isWaiting)
        #expect(parser.flush() == [.escape])
        #expect(!parser.isWaiting)
    }

    @Test(arguments: [
        "\u{1B}[<0;99999999999999999999;1M", "\u{1B}[<0;0;0M", "\u{1B}[<M", "\u{1B}[<32;4;4M",
        "\u{1B}[<66;1;1M",
    ])
    func `a mouse report that makes no sense is nothing`(report: String) {
        var parser = InputParser()
        #expect(parser.feed(Array(report.utf8)) == [])
        #expect(parser.feed([0x6A]) == [.character("j")])
    }

    @Test(arguments: [(4096, "\u{7}j"), (4097, "j")])
    func `4 KiB of a terminal's response are passed over, and what follows are keys`(
        count: Int, rest: String
    ) {
        var parser = InputParser()
        let response = "\u{1B}]52;" + String(repeating: "x", count: count - 3)
        #expect(parser.feed(Array((response + rest).utf8)) == [.character("j")])
    }

    @Test func `a paste full of the byte that ends the marker takes no longer than others`() {
        var parser = InputParser()
        _ = parser.feed(Array("\u{1B}[200~".utf8))
        _ = parser.feed([UInt8](repeating: UInt8(ascii: "~"), count: 1 << 18))
        let keys = parser.feed(Array("\u{1B}[201~".utf8))
        #expect(keys == [.paste(String(repeating: "~", count: 1 << 18), isComplete: true)])
    }

    @Test(arguments: [(4 << 20, true), (4 << 20 + 1, false), (9 << 20, false)])
    func `a paste beyond 4 MiB is cut, and what follows it are keys again`(size: Int, isWhole: Bool) {
        var parser = InputParser()
        var keys = parser.feed(Array("\u{1B}[200~".utf8))
        let block = [UInt8](repeating: 0x61, count: 1 << 20)
        for start in stride(from: 0, to: size, by: block.count) {
            keys += parser.feed(Array(block.prefix(size - start)))
        }
        keys += parser.feed(Array("\u{1B}[201~j".utf8))
        guard case .paste(let text, let isComplete) = keys.first else {
            Issue.record("no paste came out")
            return
        }
        #expect(text.utf8.count == 4 << 20)
        #expect(isComplete == isWhole)
        #expect(keys.dropFirst() == [.character("j")])
    }
}

@Suite struct KeyReaderTests {
    private func read(_ text: String) -> [Key] {
        var reader = KeyReader()
        return reader.read(Array(text.utf8), now: 0)
    }

    @Test func `eight printable bytes in one read may be a paste`() {
        #expect(read("/etc/abc") == [.burst("/etc/abc")])
        #expect(read("/a/b\r/c/d\r") == [.burst("/a/b\n/c/d\n")])
    }

    @Test func `seven are keys`() {
        #expect(read("/etc/ab").count == 7)
    }

    @Test func `a key held down over a slow line stays that key`() {
        #expect(read("jjjjjjjjjjjj") == Array(repeating: .character("j"), count: 12))
    }

    @Test func `escape sequences in one read are keys, however many`() {
        #expect(read("\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A") == [.up, .up, .up, .up])
    }

    @Test func `a character cut at the end of a burst is finished by the next read`() {
        var reader = KeyReader()
        let bytes = Array("/tmp/abc報".utf8)
        let first = reader.read(Array(bytes.dropLast()), now: 0)
        #expect(first == [.burst("/tmp/abc")])
        #expect(reader.read([bytes[bytes.count - 1]], now: 0) == [.character("報")])
    }

    @Test func `an escape alone is a key after fifty milliseconds`() {
        var reader = KeyReader()
        #expect(reader.read([0x1B], now: 10) == [])
        #expect(reader.expire(now: 10.04) == [])
        #expect(reader.expire(now: 10.051) == [.escape])
        #expect(reader.deadline == nil)
    }
}
