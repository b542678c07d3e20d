/// Rows that are being sorted, each by a number of 64 bits. Those with equal numbers stay in the order in which they came.
struct KeyedSlots {
    private struct Row {
        var key: UInt64
        var slot: Slot
    }

    private var rows: [Row]
    private var spare: [Row] = []

    init(_ slots: [Slot], key: (Slot) -> UInt64) { rows = slots.map { Row(key: key($0), slot: $0) } }

    var slots: [Slot] { rows.map(\.slot) }

    mutating func sort() { sort(rows.indices) }

    /// Sorts by texts, eight bytes at a time: most are told apart by few of them.
    mutating func sort(by texts: TextColumn.Texts, isAscending: Bool) {
        sort(rows.indices, by: texts, from: 0, inverting: isAscending ? 0 : .max)
    }

    private mutating func sort(
        _ range: Range<Int>, by texts: TextColumn.Texts, from depth: Int, inverting mask: UInt64
    ) {
        rows.withUnsafeMutableBufferPointer { rows in
            for index in range { rows[index].key = texts.word(of: rows[index].slot, at: depth) ^ mask }
        }
        sort(range)
        let next = depth + TextColumn.Texts.wordSize
        for equals in runs(in: range)
        where rows[equals].contains(where: { texts.count(of: $0.slot) > next }) {
            sort(equals, by: texts, from: next, inverting: mask)
        }
    }

    /// Where more than one row after the other has the same key.
    private func runs(in range: Range<Int>) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = range.lowerBound
        for index in range.dropFirst() where rows[index].key != rows[start].key {
            if index - start > 1 { runs.append(start..<index) }
            start = index
        }
        if range.upperBound - start > 1 { runs.append(start..<range.upperBound) }
        return runs
    }

    /// Sorts those with equal keys by another number.
    mutating func settle(by key: (Slot) -> UInt64) {
        for equals in runs(in: rows.indices) {
            for index in equals { rows[index].key = key(rows[index].slot) }
            sort(equals)
        }
    }

    private mutating func sort(_ range: Range<Int>) {
        let isSorted = zip(rows[range], rows[range].dropFirst()).allSatisfy { $0.key <= $1.key }
        if isSorted { return }
        // For few the counting of bytes costs more.
        if range.count <= 128 { return insert(range) }
        if spare.isEmpty { spare = rows }
        rows.withUnsafeMutableBufferPointer { rows in
            spare.withUnsafeMutableBufferPointer { spare in
                Self.distribute(
                    UnsafeMutableBufferPointer(rebasing: rows[range]),
                    UnsafeMutableBufferPointer(rebasing: spare[range]))
            }
        }
    }

    private mutating func insert(_ range: Range<Int>) {
        rows.withUnsafeMutableBufferPointer { rows in
            for index in range.dropFirst() {
                let row = rows[index]
                var place = index
                while place > range.lowerBound, rows[place - 1].key > row.key {
                    rows[place] = rows[place - 1]
                    place -= 1
                }
                rows[place] = row
            }
        }
    }

    /// Puts the rows in order by each byte of the keys, from the lowest on. Bytes that are the same in all are passed over.
    private static func distribute(
        _ rows: UnsafeMutableBufferPointer<Row>, _ spare: UnsafeMutableBufferPointer<Row>
    ) {
        var counts = [Int](repeating: 0, count: 8 * 256)
        for row in rows {
            for byte in 0..<8 { counts[byte << 8 | digit(byte, of: row.key)] += 1 }
        }
        var (from, to) = (rows, spare)
        for byte in 0..<8 where counts[byte << 8 | digit(byte, of: rows[0].key)] < rows.count {
            var sum = 0
            for index in (byte << 8)..<((byte + 1) << 8) { (counts[index], sum) = (sum, sum + counts[index]) }
            for row in from {
                let index = byte << 8 | digit(byte, of: row.key)
                to[counts[index]] = row
                counts[index] += 1
            }
            swap(&from, &to)
        }
        if from.baseAddress != rows.baseAddress { _ = rows.update(fromContentsOf: from) }
    }

    private static func digit(_ byte: Int, of key: UInt64) -> Int {
        Int(truncatingIfNeeded: key >> (8 * UInt64(byte)) & 0xFF)
    }
}
