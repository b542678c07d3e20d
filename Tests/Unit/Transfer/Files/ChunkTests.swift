import FerryFiles
import Testing

struct ChunkTests {
    @Test(arguments: [0, 1, 9, 10, 11, 1000])
    func `chunks are mapped in order, whatever their number`(count: Int) {
        let numbers = Array(0..<count)
        let chunks = numbers[...].mapChunks(of: 10) { Array($0) }
        #expect(chunks.flatMap(\.self) == numbers)
        #expect(chunks.allSatisfy { (1...10).contains($0.count) })
    }

    @Test func `a slice of an array is mapped from its own first element`() {
        let chunks = Array(0..<30)[5..<27].mapChunks(of: 10) { $0.startIndex }
        #expect(chunks == [5, 15, 25])
    }
}
