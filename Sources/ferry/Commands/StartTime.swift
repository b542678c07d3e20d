import Foundation

/// A moment to come as people write it: a time of day, a date with one, or how long from now.
enum StartTime {
    /// What is accepted, for people.
    static let forms = "22:00, 2026-11-24T06:00, 2026-11-24T06:00:00Z, +90m and 2h30m"

    /// - Parameter zone: Where the clock is that says what time it is.
    /// - Returns: nil for what is no moment. What the clock passes over when it is set on for the summer is the moment
    ///   when it is set; of two moments that it says alike when it is set back, the first.
    static func date(_ text: String, now: Date, in zone: TimeZone = .current) -> Date? {
        if let seconds = seconds(text) { return now.addingTimeInterval(seconds) }
        if let match = text.wholeMatch(of: /(\d{1,2}):(\d\d)(?::(\d\d))?/) {
            guard let time = time(match.1, match.2, match.3) else { return nil }
            return calendar(zone).nextDate(
                after: now, matching: time, matchingPolicy: .nextTime, repeatedTimePolicy: .first)
        }
        return date(text, in: zone)
    }

    private static func date(_ text: String, in zone: TimeZone) -> Date? {
        let form =
            /(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:(Z)|([+-])(\d\d):?(\d\d))?/
        guard let match = text.wholeMatch(of: form), let time = time(match.4, match.5, match.6) else {
            return nil
        }
        var zone = zone
        if match.7 != nil { zone = .gmt }
        if let sign = match.8, let hours = match.9.flatMap({ Int($0) }),
            let minutes = match.10.flatMap({ Int($0) })
        {
            guard hours < 24, minutes < 60,
                let fixed = TimeZone(secondsFromGMT: (sign == "-" ? -60 : 60) * (hours * 60 + minutes))
            else { return nil }
            zone = fixed
        }
        let calendar = calendar(zone)
        let day = DateComponents(year: Int(match.1), month: Int(match.2), day: Int(match.3), hour: 12)
        // Any day is at noon; the 30th of February is another one then.
        guard let noon = calendar.date(from: day),
            calendar.dateComponents([.year, .month, .day, .hour], from: noon) == day
        else { return nil }
        return calendar.nextDate(
            after: calendar.startOfDay(for: noon).addingTimeInterval(-1), matching: time,
            matchingPolicy: .nextTime, repeatedTimePolicy: .first)
    }

    private static func calendar(_ zone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }

    private static func time(_ hour: Substring, _ minute: Substring, _ second: Substring?) -> DateComponents?
    {
        guard let hour = Int(hour), let minute = Int(minute), let second = Int(second ?? "0"), hour < 24,
            minute < 60, second < 60
        else { return nil }
        return DateComponents(hour: hour, minute: minute, second: second)
    }

    /// `+90m`, `2h30m`.
    private static func seconds(_ text: String) -> Double? {
        guard text.wholeMatch(of: /\+?(?:\d{1,6}[dhms])+/) != nil else { return nil }
        let units: [Substring: Double] = ["d": 86_400, "h": 3600, "m": 60, "s": 1]
        return text.matches(of: /(\d+)([dhms])/).reduce(0) { sum, part in
            sum + (Double(part.1) ?? 0) * (units[part.2] ?? 0)
        }
    }
}
