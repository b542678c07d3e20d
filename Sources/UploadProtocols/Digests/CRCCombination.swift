/// The computation of one checksum from the checksums and lengths of consecutive parts. The bytes of the parts are not
/// needed.
///
/// Appending n bytes multiplies the remainder by x^8n modulo the checksum's polynomial, as in zlib's `crc32_combine`.
/// The computation applies to any reflected checksum whose initial value and final exclusive-or are all ones.
struct CRCCombination<Register: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    /// The polynomial, reflected: the coefficient of x^0 is the highest bit.
    let polynomial: Register

    /// Returns the checksum of the bytes of all `pieces`, which follow one another without gaps. Lengths are in bytes.
    /// If a piece is as long as the piece before it, the factor for this length (`shift(by:)`) is not computed again.
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

extension CRCCombination<UInt32> {
    static let crc32c = CRCCombination(polynomial: 0x82F6_3B78)
}

extension CRCCombination<UInt64> {
    static let crc64nvme = CRCCombination(polynomial: 0x9A6C_9329_AC4B_C9B5)
}
