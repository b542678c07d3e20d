import CFerryFiles

/// The CRC-32C checksum (RFC 3720 appendix B.4), by a CPU instruction or by tables with eight bytes a step.
package struct CRC32C: Sendable {
    private var register = UInt32.max

    package init() {}

    package var value: UInt32 { ~register }

    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(bytes)
        return checksum.value
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if Self.hasInstruction {
            register = ferry_crc32c(register, bytes.baseAddress, bytes.count)
        } else {
            updateByTables(bytes)
        }
    }

    private static let hasInstruction = ferry_has_checksum_instructions() != 0

    mutating func updateByTables(_ bytes: UnsafeRawBufferPointer) {
        var crc = register
        Self.tables.withUnsafeBufferPointer { table in
            var offset = 0
            while bytes.count - offset >= 8 {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                    ^ UInt64(crc)
                crc =
                    table[0x700 + Int(word & 0xFF)] ^ table[0x600 + Int(word >> 8 & 0xFF)]
                    ^ table[0x500 + Int(word >> 16 & 0xFF)] ^ table[0x400 + Int(word >> 24 & 0xFF)]
                    ^ table[0x300 + Int(word >> 32 & 0xFF)] ^ table[0x200 + Int(word >> 40 & 0xFF)]
                    ^ table[0x100 + Int(word >> 48 & 0xFF)] ^ table[Int(word >> 56)]
                offset += 8
            }
            while offset < bytes.count {
                crc = crc >> 8 ^ table[Int((crc ^ UInt32(bytes[offset])) & 0xFF)]
                offset += 1
            }
        }
        register = crc
    }

    /// Eight tables of 256 entries. Table n (0...7) has the checksum of each byte followed by n zero bytes.
    private static let tables: [UInt32] = {
        var tables = (UInt32(0)..<256).map { byte in
            (0..<8).reduce(byte) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
        }
        for index in 256..<2048 {
            let previous = tables[index - 256]
            tables.append(previous >> 8 ^ tables[Int(previous & 0xFF)])
        }
        return tables
    }()
}
