/// Turns the terminal's bytes and their times into keys. Much text in one read is possibly a paste. A lone ESC becomes
/// the Escape key if no byte follows within `escapeDelay`.
struct KeyReader: Sendable {
    /// The time in seconds after which a lone ESC is the Escape key, and no longer the beginning of a sequence.
    static let escapeDelay = 0.05
    /// The minimum number of printable bytes in a burst. A burst is one read that is possibly a paste without the
    /// terminal's paste markers.
    static let burst = 8

    private var parser = InputParser()
    /// The time at which a lone ESC becomes the Escape key, or an incomplete sequence is dropped. Nil while there
    /// is no lone ESC and no incomplete sequence.
    private(set) var deadline: Double?

    /// - Parameter now: The time in seconds on a monotonic clock.
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

    /// Returns the index after the last whole character of a burst; nil if the bytes are not a burst. A burst has at
    /// least `burst` printable bytes, not all of them equal. Its only control characters are tabs and line ends.
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
