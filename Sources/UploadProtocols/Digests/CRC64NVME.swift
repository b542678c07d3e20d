import CFerryFiles

/// The CRC-64/NVME checksum (NVM Express NVM Command Set 1.0, section 5.2.1.3.4), bit-reflected. Long updates use
/// carry-less multiplication for all whole blocks of 64 bytes, if the CPU has it, and tables for the rest.
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

    private static let polynomial: UInt64 = 0x9A6C_9329_AC4B_C9B5
    private static let hasInstructions = ferry_has_checksum_instructions() != 0

    /// The factors for carry-less multiplication: powers of x modulo the polynomial, bit-reflected. The first two move
    /// a 16-byte remainder over the next 64 bytes. The last two move it over the next 16 bytes.
    private static let keys: [UInt64] = [575, 511, 191, 127].map { power in
        (0..<power).reduce(1 << 63) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ polynomial : rest >> 1 }
    }

    mutating func updateByTables(_ bytes: UnsafeRawBufferPointer) {
        Self.tables.update(&register, with: bytes)
    }

    static let tables = ReflectedCRC(polynomial: polynomial)
}
