package import FerryFiles
import HTTPTypes

/// Reads and writes the dates of HTTP header fields (RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Parses an IMF-fixdate, an RFC 850 date or an asctime date. A two-digit year gets the century of `now`, or the
    /// previous one if it is then more than 50 years after `now` (RFC 9110 §5.6.7).
    package static func parse(_ text: String, now: Date) -> Date? {
        let separators = [UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: "-")]
        let words = text.utf8.split(whereSeparator: separators.contains).map { Substring($0).lowercased() }
        switch words.count {
        case 6 where words[5] == "gmt":  // sun, 06 nov 1994 08:49:37 gmt, and sunday, 06-nov-94 08:49:37 gmt
            return date(day: words[1], month: words[2], year: words[3], time: words[4], now: now)
        case 5:  // sun nov  6 08:49:37 1994
            return date(day: words[2], month: words[1], year: words[4], time: words[3], now: now)
        default: return nil
        }
    }

    /// Formats an IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`. The date is limited to the years 1 to 9999.
    package static func format(_ date: Date) -> String {
        let seconds = Int64(
            max(-62_135_596_800, min(253_402_300_799, date.timeIntervalSince1970.rounded(.down))))
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let rest = Int(seconds) - days * 86_400
        let civil = CivilDay(number: days)
        let (year, month, day) = civil.date
        let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][civil.weekday]
        let date = [
            String(day).zeroPadded(to: 2), months[month - 1].capitalized, String(year).zeroPadded(to: 4),
        ]
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map { String($0).zeroPadded(to: 2) }
        return "\(weekday), \(date.joined(separator: " ")) \(time.joined(separator: ":")) GMT"
    }

    private static func date(day: String, month: String, year: String, time: String, now: Date) -> Date? {
        guard let day = number(day, 1...31), let month = months.firstIndex(of: month),
            var year = number(year, 0...9999)
        else { return nil }
        let clock = time.utf8.split(separator: UInt8(ascii: ":")).map { String(Substring($0)) }
        guard clock.count == 3, let hour = number(clock[0], 0...23), let minute = number(clock[1], 0...59),
            let second = number(clock[2], 0...60)
        else { return nil }
        if year < 100 {
            let today = CivilDay(number: Int((now.timeIntervalSince1970 / 86_400).rounded(.down)))
            let thisYear = today.date.year
            year += thisYear / 100 * 100
            if year > thisYear + 50 { year -= 100 }
        }
        guard let civil = CivilDay(year: year, month: month + 1, day: day) else { return nil }
        return Date(timeIntervalSince1970: Double(civil.number * 86_400 + hour * 3600 + minute * 60 + second))
    }

    private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
        guard (1...4).contains(text.utf8.count),
            text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        return Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
}

extension ExchangeOutcome.Response {
    func date(in name: HTTPField.Name) -> Date? { fields[name].flatMap { HTTPDate.parse($0, now: Date()) } }
}

extension String {
    func zeroPadded(to length: Int) -> String { String(repeating: "0", count: max(0, length - count)) + self }
}
