import FerryProtocols
import Testing

@testable import FerryTransfer

struct BufferBudgetTests {
    @Test(arguments: [
        (0, 512 << 10), (1, 512 << 10), (32, 512 << 10), (64, 256 << 10), (1024, 16 << 10), (5000, 16 << 10),
    ])
    func `the more bodies pass through memory, the smaller their chunks are`(running: Int, chunk: Int) {
        #expect(BufferBudget.largestChunk(running: running) == ByteCount(chunk))
    }

    @Test func `a body has its share from before its connection is made until it is gone`() {
        let thousandth = ByteCount(16 << 20) / 1000
        do {
            let shares = (0..<1000).map { _ in BufferBudget.Share() }
            #expect(BufferBudget.largestChunk <= thousandth)
            withExtendedLifetime(shares) {}
        }
        #expect(BufferBudget.largestChunk > thousandth)
    }
}
