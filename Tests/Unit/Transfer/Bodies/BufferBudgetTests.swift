import FerryProtocols
import Testing

@testable import FerryTransfer

struct BufferBudgetTests {
    @Test(arguments: [
        (0, 1 << 20), (1, 1 << 20), (16, 1 << 20), (64, 256 << 10), (1024, 16 << 10), (5000, 16 << 10),
    ])
    func `the more bodies pass through memory, the smaller their chunks are`(running: Int, chunk: Int) {
        #expect(BufferBudget.largestChunk(running: running) == ByteCount(chunk))
    }
}
