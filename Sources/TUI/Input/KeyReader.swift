/// Turns the terminal's bytes and their times into keys.
struct KeyReader: Sendable {
    /// The seconds after which a lone ESC is the Escape key.
    static let escapeDelay = 0.05
    /// The minimum number of printable bytes of a burst: one read that is possibly a paste without paste markers.
    static let burst = 8

    private var parser = InputParser()
    /// The time at which a lone ESC or an incomplete sequence ends.
    private(set) var deadline: Double?

    mutating func read(_ bytes: [UInt8], now: Double) -> [Key] {
        defer { deadline = parser.isWaiting ? now + Self.escapeDelay : nil }
        if parser.isAtStart, let cut = Self.endOfBurst(bytes) {
            // The next read completes a character that was split.
            return [.burst(PastedText.decode(bytes[..<cut]))] + parser.feed(bytes[cut...])
        }
        return parser.feed(bytes)
    }

    mutating func expire(now: Double) -> [Key] {
        guard let deadline, now >= deadline else { return [] }
        self.deadline = nil
        return parser.flush()
    }

    /// Returns the end of the last whole character of a burst: bytes that are not all equal, with tabs and line ends.
    private static func endOfBurst(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= burst,
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 })
        else { return nil }
        let printable = bytes.filter { $0 >= 0x20 }
        // A key held down on a slow line also sends many bytes in one read. Equal bytes are therefore no burst.
        guard printable.count >= burst, Set(printable).count > 1 else { return nil }
        var cut = bytes.count
        while cut > 0, bytes.count - cut < 3, bytes[cut - 1] & 0xC0 == 0x80 { cut -= 1 }
        guard cut > 0, bytes[cut - 1] >= 0xC0 else { return bytes.count }
        let lead = bytes[cut - 1]
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
        return bytes.count - (cut - 1) < length ? cut - 1 : bytes.count
    }
}
