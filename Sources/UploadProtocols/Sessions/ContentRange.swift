/// The writer of the header field `Content-Range`, and the parsers of the byte ranges in a service's responses.
enum ContentRange {
    /// Returns the value of `Content-Range` for a request that sends these bytes, at least one (RFC 9110 §14.4).
    static func sending(_ range: Range<ByteCount>, of total: ByteCount) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
    }

    /// Returns the value of `Content-Range` for a request that asks how many bytes the service has stored.
    static func asking(of total: ByteCount) -> String { "bytes */\(total)" }

    /// Returns the number of stored bytes, such as 43 for `bytes=0-42` or `0-42`; nil for a range that is not from 0.
    static func held(_ field: String) -> ByteCount? {
        var text = field.trimmingSpaces
        if text.hasPrefix("bytes=") { text.removeFirst("bytes=".count) }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ByteCount(digits: ends[0]) == 0, let last = ByteCount(digits: ends[1]),
            last < .max
        else { return nil }
        return last + 1
    }

    /// Returns the lowest offset of ranges such as `12345-`, `12345-55232` and `26`; nil if none or one is malformed.
    static func firstExpected(_ ranges: [String]) -> ByteCount? {
        let starts = ranges.map { ByteCount(digits: $0.prefix { $0 != "-" }) }
        guard !starts.contains(nil) else { return nil }
        return starts.compactMap { $0 }.min()
    }
}

extension ByteCount {
    /// Parses a text of decimal digits; nil for any other text, and for a number that does not fit.
    init?(digits: some StringProtocol) {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(String(digits))
    }
}
