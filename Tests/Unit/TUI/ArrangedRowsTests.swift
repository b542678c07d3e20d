import FerryProtocols
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

/// Compares the rows that are updated with each change with rows that are computed anew.
struct ArrangedRowsTests {
    private static let letters: [UInt8] = Array("abAB0019-. ".utf8) + Array("üÜ水".utf8) + [0xFF, 0xC3, 0x80]

    private static func upload(_ id: Int, using dice: inout SeededGenerator) -> Upload {
        func bytes(_ range: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: range, using: &dice)).map { _ in letters.randomElement(using: &dice) ?? 0 }
        }
        var upload = Upload.make(
            id, rank: Int64.random(in: -3...3, using: &dice) * 10_000 + Int64(id), name: "",
            size: .random(in: 0...5, using: &dice),
            state: [
                .queued, .running, .waiting(5), .paused(.user), .paused(.offline), .changed, .failed, .done,
            ].randomElement(using: &dice) ?? .queued,
            destination: ["box", "Photos", ""].randomElement(using: &dice) ?? "")
        upload.path = LocalPath(bytes: [0x2F] + bytes(0...40) + [0x2F] + bytes(1...20))
        upload.target.name = String(decoding: bytes(0...20), as: UTF8.self)
        return upload
    }

    private static func filter(using dice: inout SeededGenerator) -> String {
        let words = (0..<Int.random(in: 1...3, using: &dice)).map { _ in
            let word = (0..<Int.random(in: 1...3, using: &dice)).map { _ in
                letters.randomElement(using: &dice) ?? 0
            }
            let text = String(decoding: word, as: UTF8.self)
            let known = ["state:w", "state:do", "size>2", "size<4", "to:b", "to:\(text)", text, text, text]
            return (Bool.random(using: &dice) ? "" : "!") + (known.randomElement(using: &dice) ?? "")
        }
        return words.joined(separator: " ")
    }

    private static func update(_ changed: [Upload], removed: [Upload.ID] = []) -> QueueUpdate {
        QueueUpdate(isComplete: false, changed: changed, removed: removed, status: EngineStatus())
    }

    @Test(arguments: 1...(LongTests.areWanted ? 6 : 2) as ClosedRange<UInt64>, [8, 400])
    func `the filtered rows are those that fit the filter one by one`(seed: UInt64, batch: Int) {
        var dice = SeededGenerator(seed: seed)
        var table = UploadTable()
        for _ in 0..<30 {
            let changed = (0..<batch).map { _ in
                Self.upload(.random(in: 1...300, using: &dice), using: &dice)
            }
            let removed = (0..<batch / 3).map { _ in Int.random(in: 1...300, using: &dice) }
            table.apply(Self.update(changed, removed: removed))
            #expect(
                table.shown(in: .all).map(\.id)
                    == table.uploads(in: .all).filter { table.filter?.fits($0) ?? true }.map(\.id))
            let text = Self.filter(using: &dice)
            let filter = RowFilter(text)
            for tab in [Tab.queued, .all] {
                table.arrange(filter, by: .queue, in: tab)
                #expect(
                    table.shown(in: tab).map(\.id)
                        == table.uploads(in: tab).filter(filter.fits).map(\.id), "\(filter.text)")
            }
        }
    }

    @Test(arguments: RowOrder.Key.allCases, ["a", "state:q", "!state:run", "size>2 to:b"])
    func `filtered and sorted rows are kept up as if arranged anew`(
        key: RowOrder.Key, text: String
    ) {
        var dice = SeededGenerator(seed: 3)
        var table = UploadTable()
        table.apply(Self.update((1...40).map { Self.upload($0, using: &dice) }))
        var order = RowOrder(key)
        order.isAscending.toggle()
        table.arrange(RowFilter(text), by: order, in: .all)
        for step in 1...(LongTests.areWanted ? 300 : 120) {
            let batch = step % 60 == 0 ? 300 : Int.random(in: 0...3, using: &dice)
            let changed = (0..<batch).map { _ in
                Self.upload(.random(in: 1...(40 + step), using: &dice), using: &dice)
            }
            let removed = (0..<Int.random(in: 0...2, using: &dice)).map { _ in
                Int.random(in: 1...(40 + step), using: &dice)
            }
            table.apply(Self.update(changed, removed: removed))
            let rates = table.running.map { id in
                (id, TransferRate(sent: ByteCount(id % 3), rate: Double((id + step) % 5), remaining: nil))
            }
            _ = table.measure(Dictionary(uniqueKeysWithValues: rates))
            var anew = table
            anew.arrange(nil, by: .queue, in: .all)
            anew.arrange(RowFilter(text), by: order, in: .all)
            #expect(Array(table.shown(in: .all)) == Array(anew.shown(in: .all)), "step \(step)")
        }
    }

    @Test func `uploads are found after most others are gone`() {
        var table = UploadTable()
        table.apply(Self.update((1...3000).map { .make($0) }))
        table.arrange(RowFilter("file-29"), by: RowOrder(.name), in: .all)
        table.apply(Self.update([.make(3001)], removed: Array(1...2950)))
        #expect(table.rows(in: .all).map(\.id) == Array(2951...3001))
        #expect(table.shown(in: .all).map(\.id) == Array(2951...2999))
        #expect(table[1] == nil)
        #expect(table[3001]?.id == 3001)
    }

    @Test(arguments: RowOrder.Key.allCases, [true, false])
    func `the order is that of a plain sort, and equals stand as in the queue`(
        key: RowOrder.Key, isAscending: Bool
    ) {
        var dice = SeededGenerator(seed: 5)
        var table = UploadTable()
        table.apply(Self.update((1...2000).map { Self.upload($0, using: &dice) }))
        var order = RowOrder(key)
        order.isAscending = isAscending
        table.arrange(nil, by: order, in: .all)
        func precedes(_ left: Upload, _ right: Upload) -> Bool {
            switch key {
            case .queue: left.rank < right.rank
            case .name: Self.natural(left.path).lexicographicallyPrecedes(Self.natural(right.path))
            case .size: left.size < right.size
            case .progress: left.state.isUnfinished && !right.state.isUnfinished
            case .added: left.added < right.added
            case .rate, .remaining: false
            }
        }
        let sorted = table.uploads(in: .all).enumerated().sorted { left, right in
            if precedes(left.element, right.element) { return isAscending }
            if precedes(right.element, left.element) { return !isAscending }
            return left.offset < right.offset
        }
        #expect(table.shown(in: .all).map(\.id) == sorted.map(\.element.id))
    }

    /// Returns the last part of a path as a sort key, in which numbers compare by their value.
    private static func natural(_ path: LocalPath) -> [UInt8] {
        var (key, number) = ([UInt8](), [UInt8]())
        for byte in path.lastComponent + [0] {
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                number.append(byte)
                continue
            }
            if !number.isEmpty {
                let digits = number.drop { $0 == UInt8(ascii: "0") }
                key += [UInt8(ascii: "0"), UInt8(digits.count)] + digits
            }
            number = []
            key.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte)
        }
        return Array(key.dropLast())
    }

    @Test func `the later of two uploads with one id counts in a complete update`() {
        var table = UploadTable()
        let uploads: [Upload] = [.make(1), .make(2), .make(1, name: "later", state: .failed)]
        table.apply(
            QueueUpdate(isComplete: true, changed: uploads, removed: [2], status: EngineStatus()))
        #expect(table.rows(in: .all).map(\.id) == [1])
        #expect(table.count(.queued) == 0)
        #expect(table[1]?.path.name == "later")
        table.apply(Self.update([.make(3), .make(4), .make(5)]))
        #expect(table.rows(in: .all).map(\.id) == [1, 3, 4, 5])
    }

    @Test func `rows by name stand right where names begin with the same hundred bytes`() {
        let names = ["9", "10", "b", "a2", "a10", "a2", "", "a"].map {
            String(repeating: "x", count: 99) + "-" + $0
        }
        var table = UploadTable()
        table.apply(Self.update(names.enumerated().map { .make($0 + 1, name: $1) }))
        table.arrange(nil, by: RowOrder(.name), in: .all)
        #expect(table.shown(in: .all).map(\.id) == [7, 1, 2, 8, 4, 6, 5, 3])
    }
}
