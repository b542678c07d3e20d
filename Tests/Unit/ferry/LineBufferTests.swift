import Testing

@testable import FerryCommand

/// The lines of a command that wait for the reader of its standard output.
struct LineBufferTests {
    private static let mebibyte = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)

    @Test func `lines of 64 MiB wait for a reader, and one more is left out and counted`() {
        var buffer = LineOutput.Buffer()
        for _ in 0..<64 { _ = buffer.add(Self.mebibyte) }
        #expect(buffer.takeDropped() == 0)
        #expect(!buffer.add([0]))
        #expect(buffer.takeDropped() == 1)
        #expect(buffer.takeNext().count == 64 << 20)
    }

    @Test func `lines of a write under way keep their room until it ends`() {
        var buffer = LineOutput.Buffer()
        for _ in 0..<64 { _ = buffer.add(Self.mebibyte) }
        let written = buffer.takeNext()
        #expect(!buffer.add([0]))
        buffer.didWrite(written.count)
        #expect(buffer.add([0]))
        #expect(buffer.takeNext() == [0])
    }

    @Test func `only the first of the lines that wait starts a write`() {
        var buffer = LineOutput.Buffer()
        #expect(buffer.add([1]))
        #expect(!buffer.add([2]))
        #expect(buffer.takeNext() == [1, 2])
        #expect(buffer.add([3]))
    }
}
