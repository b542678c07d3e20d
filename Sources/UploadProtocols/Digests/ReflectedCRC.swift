/// A bit-reflected CRC whose initial value and final exclusive-or are all ones, by tables for eight bytes at a time.
struct ReflectedCRC<Register: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    /// The polynomial, reflected: the coefficient of x^0 is the highest bit.
    private let polynomial: Register
    /// Eight tables of 256 entries. In table n, entry b is the remainder of the byte b followed by n zero bytes.
    private let tables: [Register]

    init(polynomial: Register) {
        self.polynomial = polynomial
        var tables = (Register(0)..<256).map { byte in
            (0..<8).reduce(byte) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ polynomial : crc >> 1 }
        }
        for index in 256..<2048 {
            let previous = tables[index - 256]
            tables.append(previous >> 8 ^ tables[Int(previous & 0xFF)])
        }
        self.tables = tables
    }

    func update(_ register: inout Register, with bytes: UnsafeRawBufferPointer) {
        var crc = register
        tables.withUnsafeBufferPointer { table in
            var offset = 0
            while bytes.count - offset >= 8 {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                    ^ UInt64(crc)
                crc = 0
                for byte in 0..<8 { crc ^= table[(7 - byte) << 8 + Int(word >> UInt64(byte * 8) & 0xFF)] }
                offset += 8
            }
            while offset < bytes.count {
                let index = Int(truncatingIfNeeded: crc ^ Register(bytes[offset])) & 0xFF
                crc = crc >> 8 ^ table[index]
                offset += 1
            }
        }
        register = crc
    }

    /// Returns the checksum of all `pieces`, which follow one another, from their checksums and lengths. Appending n
    /// bytes multiplies the remainder by x^8n, as in zlib's `crc32_combine`. Equal lengths share the factor.
    func joined(_ pieces: some Sequence<(checksum: Register, length: ByteCount)>) -> Register {
        var known: (length: ByteCount, shift: Register)?
        return pieces.reduce(0) { sum, piece in
            if known?.length != piece.length { known = (piece.length, shift(by: piece.length)) }
            return product(sum, known?.shift ?? one) ^ piece.checksum
        }
    }

    private var one: Register { 1 << (Register.bitWidth - 1) }

    /// Returns x^8n modulo the polynomial, with n = `length`.
    private func shift(by length: ByteCount) -> Register {
        var power = one >> 1
        for _ in 0..<3 { power = product(power, power) }
        var result = one
        var rest = max(0, length)
        while rest > 0 {
            if rest & 1 == 1 { result = product(result, power) }
            power = product(power, power)
            rest >>= 1
        }
        return result
    }

    private func product(_ first: Register, _ second: Register) -> Register {
        var product: Register = 0
        var multiple = second
        var bit = one
        while bit != 0 {
            if first & bit != 0 { product ^= multiple }
            multiple = multiple & 1 == 1 ? multiple >> 1 ^ polynomial : multiple >> 1
            bit >>= 1
        }
        return product
    }
}
