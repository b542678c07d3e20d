import Testing

@testable import FerryCommand

/// Tests the lines that wait for the reader of a command's standard output.
struct LineBufferTests {
    private var buffer = LineOutput.Buffer()

    /// Adds the most that fits into the buffer.
    private mutating func fill() {
        let mebibyte = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
        for _ in 0..<64 { _ = buffer.add(mebibyte) }
    }

    @Test mutating func `lines of 64 MiB wait for a reader, and one more is left out and counted`() {
        fill()
        let droppedBefore = buffer.takeDropped()
        let startsWrite = buffer.add([0])
        let dropped = buffer.takeDropped()
        #expect((droppedBefore, startsWrite, dropped) == (0, false, 1))
        let next = buffer.takeNext()
        #expect(next.count == 64 << 20)
    }

    @Test mutating func `lines of a write under way keep their room until it ends`() {
        fill()
        let written = buffer.takeNext()
        let fitsBefore = buffer.add([0])
        buffer.didWrite(written.count)
        let fits = buffer.add([0])
        #expect((fitsBefore, fits) == (false, true))
        let next = buffer.takeNext()
        #expect(next == [0])
    }

    @Test mutating func `only the first of the lines that wait starts a write`() {
        let starts = [buffer.add([1]), buffer.add([2])]
        let first = buffer.takeNext()
        let startsAgain = buffer.add([3])
        #expect(starts == [true, false])
        #expect(first == [1, 2])
        #expect(startsAgain)
    }
}
