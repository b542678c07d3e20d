import Testing

@testable import FerryTUI

@Suite struct LineSplitterTests {
    @Test func `lines are the same wherever the bytes are cut`() {
        let bytes = Array("one\ntwö\r\n\nlast".utf8)
        for cut in 0...bytes.count {
            var splitter = LineSplitter()
            let lines = splitter.add(bytes.prefix(cut)) + splitter.add(bytes.dropFirst(cut))
            #expect(lines == [.text("one"), .text("twö"), .text("")], "cut at \(cut)")
            #expect(splitter.finish() == .text("last"))
        }
    }

    @Test func `text that ends with its line leaves no remainder`() {
        var splitter = LineSplitter()
        #expect(splitter.add(Array("one\n".utf8)) == [.text("one")])
        #expect(splitter.finish() == nil)
    }

    @Test func `a line that is too long is thrown away, and the next one is not`() {
        var splitter = LineSplitter(limit: 4)
        #expect(splitter.add(Array("12345\n1234\n".utf8)) == [.tooLong, .text("1234")])
    }

    @Test(arguments: [(4 << 20, false), (4 << 20 + 1, true)])
    func `a line of standard input may have 4 MiB`(length: Int, isTooLong: Bool) {
        var splitter = LineSplitter()
        let lines = splitter.add([UInt8](repeating: 0x61, count: length) + [0x0A])
        #expect((lines == [.tooLong]) == isTooLong)
    }
}
