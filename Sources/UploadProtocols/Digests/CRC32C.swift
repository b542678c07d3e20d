import CFerryFiles

/// The CRC-32C checksum (RFC 3720 appendix B.4), by a CPU instruction if there is one, otherwise by tables.
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
        Self.tables.update(&register, with: bytes)
    }

    static let tables = ReflectedCRC(polynomial: UInt32(0x82F6_3B78))
}
