import FerryStateSimulation
import FerryTestSupport
import Testing

@testable import FerryUploads

struct QueueTableTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a table holds what a dictionary would hold`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = QueueTable()
        var expected: [Upload.ID: Upload] = [:]
        for _ in 0..<3_000 {
            let id = Int.random(in: 1...1_500, using: &random)
            if Bool.random(using: &random) {
                let upload = Upload.make(id, rank: Int64.random(in: 0...9, using: &random))
                table[id] = upload
                expected[id] = upload
            } else {
                #expect(table.removeValue(forKey: id) == expected.removeValue(forKey: id))
            }
            #expect(table[id] == expected[id])
        }
        #expect(table.count == expected.count)
        #expect(table.values.sorted { $0.id < $1.id } == expected.values.sorted { $0.id < $1.id })
    }

    @Test(
        arguments: [[1...128], [1...300], [200...300, 1...128], [129...256]] as [[ClosedRange<Upload.ID>]])
    func `a table from which many uploads in a row were removed takes others`(gone: [ClosedRange<Upload.ID>])
    {
        var table = QueueTable((1...300).lazy.map { .make($0) })
        let copy = table
        let removed = Set(gone.joined())
        for id in removed { table.removeValue(forKey: id) }
        for id in 301...700 { table.insert(.make(id)) }
        #expect(table.ids.sorted() == (1...700).filter { !removed.contains($0) })
        #expect((1...700).allSatisfy { table[$0]?.id == (removed.contains($0) ? nil : $0) })
        #expect(copy.ids.sorted() == Array(1...300))
    }

    @Test func `a visit sees each upload that was not removed, once`() {
        var table = QueueTable((1...300).lazy.map { .make($0) })
        for id in [1, 128, 129, 300] { table.removeValue(forKey: id) }
        var seen: [Upload.ID] = []
        table.visit { seen.append($0.id) }
        #expect(seen.sorted() == table.ids.sorted())
        #expect(seen.count == 296)
        #expect(table.ids { $0.id > 298 } == [299])
    }

    @Test
    func `a table that is copied keeps what it held`() {
        var table = QueueTable([.make(1), .make(2)])
        let copy = table
        table[1] = .make(1, rank: 9)
        table.removeValue(forKey: 2)
        #expect(copy[1]?.rank == 1)
        #expect(copy[2] != nil)
    }

    // A queue may have a million uploads in memory, so each byte that is added to `Upload` counts.
    @Test
    func `S20 an upload of which there is little to say takes little room`() {
        #expect(MemoryLayout<Upload>.stride <= 136)
        #expect(MemoryLayout<NewUpload>.stride <= 112)
        #expect(MemoryLayout<Upload?>.stride == MemoryLayout<Upload>.stride)
    }
}
