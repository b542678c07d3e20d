/// A text of each slot, all of them in one piece of memory: to look through a hundred thousand is to read on.
struct TextColumn: Sendable {
    /// Zeros behind the last text, so that a whole vector can be read from any byte of it.
    static let padding = 16

    private var bytes = [UInt8](repeating: 0, count: padding)
    private var starts: [Int] = []
    private var counts: [UInt32] = []
    /// Bytes that belong to no text any more.
    private var waste = 0

    /// - Parameter write: Appends the text of a slot.
    init(capacity: Int, slots: some Sequence<Slot>, write: (Slot, inout [UInt8]) -> Void) {
        starts = [Int](repeating: 0, count: capacity)
        counts = [UInt32](repeating: 0, count: capacity)
        bytes = []
        // About what a path takes; room that is not used is not taken.
        bytes.reserveCapacity(64 * capacity)
        for slot in slots {
            starts[slot.index] = bytes.count
            write(slot, &bytes)
            counts[slot.index] = UInt32(bytes.count - starts[slot.index])
        }
        bytes.append(contentsOf: repeatElement(0, count: Self.padding))
    }

    /// - Parameter write: Appends the text that the slot is to have.
    mutating func set(_ slot: Slot, write: (inout [UInt8]) -> Void) {
        while starts.count <= slot.index {
            starts.append(0)
            counts.append(0)
        }
        clear(slot)
        bytes.removeLast(Self.padding)
        starts[slot.index] = bytes.count
        write(&bytes)
        counts[slot.index] = UInt32(bytes.count - starts[slot.index])
        bytes.append(contentsOf: repeatElement(0, count: Self.padding))
        if waste > bytes.count / 2 { compact() }
    }

    /// The slot has no text any more.
    mutating func clear(_ slot: Slot) {
        guard slot.index < counts.count else { return }
        waste += Int(counts[slot.index])
        counts[slot.index] = 0
    }

    private mutating func compact() {
        let old = self
        self = TextColumn(
            capacity: starts.count,
            slots: starts.indices.lazy.map { Slot($0) }.filter { old.counts[$0.index] > 0 }
        ) { slot, bytes in
            bytes += old.bytes[old.starts[slot.index]...].prefix(Int(old.counts[slot.index]))
        }
    }

    /// Bytes that the texts take, with those that belong to none any more.
    var size: Int { bytes.count }

    func withTexts<Result>(_ body: (Texts) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            starts.withUnsafeBufferPointer { starts in
                counts.withUnsafeBufferPointer { counts in
                    body(Texts(bytes: bytes, starts: starts, counts: counts))
                }
            }
        }
    }

    /// The texts in memory, for as long as it stays where it is.
    struct Texts {
        fileprivate let bytes: UnsafeRawBufferPointer
        fileprivate let starts: UnsafeBufferPointer<Int>
        fileprivate let counts: UnsafeBufferPointer<UInt32>

        /// At least `padding` bytes may be read behind it.
        subscript(slot: Slot) -> UnsafeRawBufferPointer {
            let start = starts[slot.index]
            return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count(of: slot))])
        }

        func count(of slot: Slot) -> Int { Int(counts[slot.index]) }

        static let wordSize = 8

        /// Eight bytes of the text as a number that is the greater the later they come in the order of bytes. Behind its
        /// end there are zeros.
        func word(of slot: Slot, at offset: Int) -> UInt64 {
            let rest = count(of: slot) - offset
            guard rest > 0 else { return 0 }
            let word = UInt64(
                bigEndian: bytes.loadUnaligned(fromByteOffset: starts[slot.index] + offset, as: UInt64.self))
            return rest < Self.wordSize ? word & ~0 << (8 * UInt64(Self.wordSize - rest)) : word
        }

        func precedes(_ left: Slot, _ right: Slot) -> Bool {
            self[left].lexicographicallyPrecedes(self[right])
        }
    }
}
