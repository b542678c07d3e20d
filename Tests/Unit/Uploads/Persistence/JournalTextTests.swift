import FerryStateSimulation
import Testing

@testable import FerryUploads

struct JournalTextTests {
    @Test func `short records become one chunk, and long ones stay apart`() {
        var text = JournalText()
        #expect(text.isEmpty)
        text.append([[1, 2], [3]])
        text.append([[4]])
        let long = [UInt8](repeating: 5, count: 1 << 20)
        text.append([long, [6]])
        #expect(text.chunks == [[1, 2, 3, 4], long, [6]])
        #expect(text.bytes == [1, 2, 3, 4] + long + [6])
        #expect(text.count == (1 << 20) + 5)
    }

    @Test(arguments: [2, 10, 11, 20, 25])
    func `a record is the same in chunks as in one`(count: Int) throws {
        let changes = (1...count).map { QueueChange.set(.make($0)) }
        let whole = try JournalRecord.line(changes, sequence: 7, unknown: UnknownContent())
        let chunks = try JournalRecord.line(
            changes, sequence: 7, unknown: UnknownContent(), chunkSize: 10)
        #expect(whole.count == 1)
        #expect(chunks.count == (count > 10 ? 2 + (count + 9) / 10 : 1))
        #expect(Array(chunks.joined()) == whole[0])
        #expect(whole[0].dropLast().withUnsafeBufferPointer(JournalRecord.isWhole))
    }

    @Test func `an upload that is too large is refused in any chunk`() {
        var changes = (1...25).map { QueueChange.set(.make($0)) }
        changes[17] = .set(.make(18, url: String(repeating: "x", count: (16 << 20) + 1)))
        #expect(throws: JournalError.recordTooLarge(18)) {
            try JournalRecord.line(changes, sequence: 1, unknown: UnknownContent(), chunkSize: 10)
        }
    }
}
