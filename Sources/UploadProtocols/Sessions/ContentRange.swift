/// The functions that write and parse the byte ranges in requests and responses of upload sessions.
enum ContentRange {
    /// Returns the `Content-Range` of a request that carries a range (RFC 9110 §14.4).
    ///
    /// - Parameters:
    ///   - range: The bytes of the file in the request. The range is not empty.
    ///   - total: The number of bytes of the whole file; nil while it is unknown.
    static func sending(_ range: Range<ByteCount>, of total: ByteCount?) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size(total))"
    }

    /// Returns the `Content-Range` of a request without content that asks how many bytes are stored.
    static func asking(of total: ByteCount?) -> String { "bytes */\(size(total))" }

    /// Returns the number of stored bytes that a `Range` field such as `bytes=0-42` states; nil if the range does not
    /// begin at 0 or is malformed.
    static func held(_ field: String) -> ByteCount? {
        var text = field.trimmingSpaces
        if text.hasPrefix("bytes=") { text.removeFirst("bytes=".count) }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ByteCount(digits: ends[0]) == 0, let last = ByteCount(digits: ends[1]),
            last < .max
        else { return nil }
        return last + 1
    }

    /// Returns the lowest start of the ranges that a server still expects (`12345-`, `12345-55232`, `26`); nil if there
    /// are no ranges, or if one is malformed.
    static func firstExpected(_ ranges: [String]) -> ByteCount? {
        let starts = ranges.map { ByteCount(digits: $0.prefix { $0 != "-" }) }
        guard !starts.contains(nil) else { return nil }
        return starts.compactMap { $0 }.min()
    }

    private static func size(_ total: ByteCount?) -> String { total.map { "\($0)" } ?? "*" }
}

extension ByteCount {
    /// Parses decimal digits; nil for any other text and for a number that is too large.
    init?(digits: some StringProtocol) {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(String(digits))
    }
}
