/// Wall-clock times as ISO 8601 text in UTC: `2026-11-20T22:55:59.25Z`, with as many decimals as needed, nine at most.
package enum WallTime {
    private static let secondsPerDay = 86_400
    /// The number of seconds from 1970 to 2001, Foundation's reference date.
    private static let referenceSecond = 978_307_200

    /// Returns the text of `date`; nil if it would not be exact: for years outside 0 to 9999, or finer fractions.
    static func text(_ date: Date) -> [UInt8]? {
        let total = date.timeIntervalSinceReferenceDate
        let whole = total.rounded(.down)
        guard var second = Int(exactly: whole), abs(second) < 400_000_000_000 else { return nil }
        var nanosecond = Int(((total - whole) * 1e9).rounded())
        if nanosecond == 1_000_000_000 { (second, nanosecond) = (second + 1, 0) }
        guard self.date(second: second, nanosecond: nanosecond) == date else { return nil }

        second += referenceSecond
        let ofDay = (second % secondsPerDay + secondsPerDay) % secondsPerDay
        let civil = CivilDay(number: (second - ofDay) / secondsPerDay).date
        guard (0...9999).contains(civil.year) else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(30)
        func append(_ number: Int, digits: Int, after mark: Unicode.Scalar? = nil) {
            if let mark { text.append(UInt8(ascii: mark)) }
            text.append(decimal: UInt64(number), digits: digits)
        }
        append(civil.year, digits: 4)
        append(civil.month, digits: 2, after: "-")
        append(civil.day, digits: 2, after: "-")
        append(ofDay / 3600, digits: 2, after: "T")
        append(ofDay / 60 % 60, digits: 2, after: ":")
        append(ofDay % 60, digits: 2, after: ":")
        if nanosecond != 0 {
            append(nanosecond, digits: 9, after: ".")
            while text.last == UInt8(ascii: "0") { text.removeLast() }
        }
        text.append(UInt8(ascii: "Z"))
        return text
    }

    /// Returns the text of the second in which `date` is, such as `2026-11-20T22:55:59Z`.
    package static func second(of date: Date) -> String {
        let second = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        return text(second).map { String(decoding: $0, as: UTF8.self) } ?? date.formatted(.iso8601)
    }

    /// Reads a date from text such as `2026-11-20T22:55:59.25Z`. Returns nil for any other form.
    static func date(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        guard text.count >= 20, text.count <= 30, text.last == UInt8(ascii: "Z"),
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = number(text, 0, 4), let month = number(text, 5, 2), (1...12).contains(month),
            let day = number(text, 8, 2), (1...31).contains(day),
            let hour = number(text, 11, 2), hour < 24, let minute = number(text, 14, 2), minute < 60,
            let second = number(text, 17, 2), second < 60
        else { return nil }
        var nanosecond = 0
        if text.count > 20 {
            let digits = text.count - 21
            guard text[19] == UInt8(ascii: "."), digits > 0, let fraction = number(text, 20, digits) else {
                return nil
            }
            nanosecond = (digits..<9).reduce(fraction) { value, _ in value * 10 }
        }
        let ofDay = hour * 3600 + minute * 60 + second
        let civil = CivilDay(year: year, month: month, countedDay: day)
        return date(second: civil.number * secondsPerDay + ofDay - referenceSecond, nanosecond: nanosecond)
    }

    private static func date(second: Int, nanosecond: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(second) + Double(nanosecond) / 1e9)
    }

    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) -> Int? {
        var number = 0
        for index in start..<(start + count) {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        return number
    }
}
