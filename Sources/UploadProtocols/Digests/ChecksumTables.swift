/// The tables for a bit-reflected CRC. With the tables, one step computes the CRC of eight bytes without special CPU
/// instructions.
struct ChecksumTables<Word: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    /// Eight tables of 256 entries. In table n (0...7), entry b is the remainder of the byte b followed by n zero
    /// bytes.
    private let tables: [Word]

    /// - Parameter polynomial: The generator polynomial, bit-reflected, without its highest power.
    init(polynomial: Word) {
        var tables = (Word(0)..<256).map { byte in
            (0..<8).reduce(byte) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ polynomial : crc >> 1 }
        }
        for index in 256..<2048 {
            let previous = tables[index - 256]
            tables.append(previous >> 8 ^ tables[Int(previous & 0xFF)])
        }
        self.tables = tables
    }

    func update(_ register: inout Word, with bytes: UnsafeRawBufferPointer) {
        var crc = register
        tables.withUnsafeBufferPointer { table in
            var offset = 0
            while bytes.count - offset >= 8 {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                    ^ UInt64(crc)
                crc = 0
                for byte in 0..<8 {
                    crc ^= table[(7 - byte) << 8 + Int(word >> UInt64(byte * 8) & 0xFF)]
                }
                offset += 8
            }
            while offset < bytes.count {
                let index = Int(truncatingIfNeeded: crc ^ Word(bytes[offset])) & 0xFF
                crc = crc >> 8 ^ table[index]
                offset += 1
            }
        }
        register = crc
    }
}
