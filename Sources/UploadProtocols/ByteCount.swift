/// A number of bytes, or a byte offset from the start of a file. A difference may be negative.
public typealias ByteCount = Int64

extension ByteCount {
    /// Returns the sum of two byte counts, or the largest `ByteCount` if the sum overflows.
    package static func sum(_ first: ByteCount, _ second: ByteCount) -> ByteCount {
        let (sum, overflow) = first.addingReportingOverflow(second)
        return overflow ? .max : sum
    }
}

/// Converts byte counts to text of at most three digits, and back. All units are powers of 1024 (IEC 80000-13).
package enum ByteFormat {
    private static let units = ["B", "K", "M", "G", "T", "P", "E"]

    package static func compact(_ count: some BinaryInteger) -> String { compact(Double(count)) }

    /// Returns a byte count in at most four characters: `12K`, `4.1G`, `999B`. NaN and negative counts give `0B`.
    package static func compact(_ count: Double) -> String {
        let (value, unit) = scaled(count)
        guard unit > 0, value < 9.95 else { return "\(Int(value.rounded()))\(units[unit])" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)\(units[unit])"
    }

    /// Returns a byte count for a sentence: `4.1 GiB`, `12 KiB`, `0 B`.
    package static func sentence(_ count: some BinaryInteger) -> String { spaced(Double(count)) }

    /// Returns a transfer rate for a sentence: `18.4 MiB/s`.
    package static func rate(_ bytesPerSecond: Double) -> String { spaced(bytesPerSecond) + "/s" }

    /// Parses a byte count such as `2M`, `1.5 GB`, `65536` or `2M/s`, rounded to whole bytes. All units are powers of
    /// 1024, also without `i`, because configurations that exist mean them so. Returns nil for any other text,
    /// a negative number, and a result that is too large.
    package static func parse(_ text: String) -> ByteCount? {
        var body = text.uppercased().filter { $0 != " " }
        if body.hasSuffix("/S") { body.removeLast(2) }
        if body.hasSuffix("IB") { body.removeLast(2) } else if body.hasSuffix("B") { body.removeLast() }
        var factor = 1.0
        if let last = body.last, let unit = "KMGTPE".firstIndex(of: last) {
            body.removeLast()
            let exponent = "KMGTPE".distance(from: "KMGTPE".startIndex, to: unit) + 1
            for _ in 0..<exponent { factor *= 1024 }
        }
        guard !body.isEmpty, body.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(body)
        else { return nil }
        return ByteCount(exactly: (number * factor).rounded())
    }

    private static func spaced(_ count: Double) -> String {
        let (value, unit) = scaled(count)
        guard unit > 0 else { return "\(Int(value)) B" }
        let tenths = Int((value * 10).rounded())
        let number =
            value < 99.95 && tenths % 10 != 0 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
        return "\(number) \(units[unit])iB"
    }

    private static func scaled(_ count: Double) -> (value: Double, unit: Int) {
        guard count > 0 else { return (0, 0) }
        // E (2^60 bytes) is the largest unit, so a count above 999 E is shown as 999 E.
        var value = min(count, 999 * 0x1p60)
        var unit = 0
        while value >= 999.5, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return (value, unit)
    }
}
