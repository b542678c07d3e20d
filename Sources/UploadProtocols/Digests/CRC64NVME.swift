import CFerryFiles

/// The CRC-64/NVME checksum (NVM Express NVM Command Set 1.0, section 5.2.1.3.4), bit-reflected. It is computed by
/// carry-less multiplication if the CPU has such instructions, otherwise by tables with eight bytes a step.
package struct CRC64NVME: Sendable {
    private var register = UInt64.max

    package init() {}

    package var value: UInt64 { ~register }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let folded = Self.hasInstructions && bytes.count >= 256 ? bytes.count & ~63 : 0
        if folded > 0 {
            var rest = (UInt64(0), UInt64(0))
            ferry_crc64_fold(register, bytes.baseAddress, folded, Self.keys, &rest)
            register = 0
            withUnsafeBytes(of: rest) { updateByTables($0) }
        }
        updateByTables(UnsafeRawBufferPointer(rebasing: bytes[folded...]))
    }

    private static let hasInstructions = ferry_has_checksum_instructions() != 0

    /// The factors for carry-less multiplication: powers of x modulo the polynomial, bit-reflected.
    private static let keys: [UInt64] = [575, 511, 191, 127].map { power in
        (0..<power).reduce(1 << 63) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0x9A6C_9329_AC4B_C9B5 : rest >> 1
        }
    }

    mutating func updateByTables(_ bytes: UnsafeRawBufferPointer) {
        var crc = register
        Self.tables.withUnsafeBufferPointer { table in
            var offset = 0
            while bytes.count - offset >= 8 {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ crc
                crc =
                    table[0x700 + Int(word & 0xFF)] ^ table[0x600 + Int(word >> 8 & 0xFF)]
                    ^ table[0x500 + Int(word >> 16 & 0xFF)] ^ table[0x400 + Int(word >> 24 & 0xFF)]
                    ^ table[0x300 + Int(word >> 32 & 0xFF)] ^ table[0x200 + Int(word >> 40 & 0xFF)]
                    ^ table[0x100 + Int(word >> 48 & 0xFF)] ^ table[Int(word >> 56)]
                offset += 8
            }
            while offset < bytes.count {
                crc = crc >> 8 ^ table[Int((crc ^ UInt64(bytes[offset])) & 0xFF)]
                offset += 1
            }
        }
        register = crc
    }

    /// Eight tables of 256 entries. Table n (0...7) has the checksum of each byte followed by n zero bytes.
    private static let tables: [UInt64] = {
        var tables = (UInt64(0)..<256).map { byte in
            (0..<8).reduce(byte) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0x9A6C_9329_AC4B_C9B5 : crc >> 1 }
        }
        for index in 256..<2048 {
            let previous = tables[index - 256]
            tables.append(previous >> 8 ^ tables[Int(previous & 0xFF)])
        }
        return tables
    }()
}
