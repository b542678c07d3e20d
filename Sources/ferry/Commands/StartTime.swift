import FerryProtocols
import Foundation

/// A moment to come as people write it: a time of day, a date with or without one, or how long from now.
enum StartTime {
    /// What is accepted, for people.
    static let forms = "22:00, tomorrow 8:00, 2026-11-24, 2026-11-24T06:00 or +1h30m"

    /// - Parameter zone: Where the clock is that says what time it is.
    /// - Returns: nil for what is no moment. What the clock passes over when it is set on for the summer is the moment
    ///   when it is set; of two moments that it says alike when it is set back, the first.
    static func date(_ text: String, now: Date, in zone: TimeZone = .current) -> Date? {
        if let span = TimeSpan(argument: String(text.trimmingPrefix("+"))) {
            return now.addingTimeInterval(span.seconds)
        }
        if let match = text.wholeMatch(of: /(\d{1,2}):(\d\d)(?::(\d\d))?/) {
            guard let time = time(match.1, match.2, match.3) else { return nil }
            return calendar(zone).nextDate(
                after: now, matching: time, matchingPolicy: .nextTime, repeatedTimePolicy: .first)
        }
        return tomorrow(text, now: now, in: zone) ?? date(text, in: zone)
    }

    /// Why a text is no moment.
    static func flaw(in text: String) -> UploadFailure {
        // A number alone may be minutes, hours or a time of day.
        guard let number = text.wholeMatch(of: /\+?([0-9]{1,6})/)?.1 else {
            return UploadFailure(.permanent, "--at '\(text)' is no time", hint: "write \(forms)")
        }
        return UploadFailure(
            .permanent, "--at \(text) has no unit",
            hint: "+\(number)m is in \(number) minutes, +\(number)h in \(number) hours")
    }

    /// `tomorrow`, which is from its start on, and `tomorrow 8:00`.
    private static func tomorrow(_ text: String, now: Date, in zone: TimeZone) -> Date? {
        guard let match = text.wholeMatch(of: /(?i:tomorrow)(?: (\d{1,2}):(\d\d)(?::(\d\d))?)?/),
            let time = time(match.1 ?? "0", match.2 ?? "0", match.3)
        else { return nil }
        // Midnight may be what the clock passes over; every day has a noon.
        let noon = calendar(zone).startOfDay(for: now).addingTimeInterval(12 * 3600)
        return calendar(zone).date(byAdding: .day, value: 1, to: noon).flatMap {
            moment(time, onDayOf: $0, in: zone)
        }
    }

    private static func date(_ text: String, in zone: TimeZone) -> Date? {
        let form =
            /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:(Z)|([+-])(\d\d):?(\d\d))?)?/
        guard let match = text.wholeMatch(of: form),
            let time = time(match.4 ?? "0", match.5 ?? "0", match.6)
        else { return nil }
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
        return moment(time, onDayOf: noon, in: zone)
    }

    private static func moment(_ time: DateComponents, onDayOf date: Date, in zone: TimeZone) -> Date? {
        let calendar = calendar(zone)
        return calendar.nextDate(
            after: calendar.startOfDay(for: date).addingTimeInterval(-1), matching: time,
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
}
