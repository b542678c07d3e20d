import FerryProtocols
import FerryUploads

/// Parses start times as users write them: a time of day, a date, a date with a time, or a time span from now.
enum StartTime {
    static let forms = "22:00, tomorrow 8:00, 2026-11-24, 2026-11-24T06:00 or +1h30m"

    /// Parses a start time; nil if the text is none. A time of day means its next occurrence. A local time that the
    /// clock skips becomes the moment of the change, and one that occurs twice means its first occurrence.
    ///
    /// - Parameter zone: The time zone of a text without an offset from UTC.
    static func date(_ text: String, now: Date, in zone: ZoneRules = .local) -> Date? {
        if let span = TimeSpan(argument: String(text.trimmingPrefix("+"))) {
            return now.addingTimeInterval(span.seconds)
        }
        if let match = text.wholeMatch(of: /(\d{1,2}):(\d\d)(?::(\d\d))?/) {
            guard let time = time(match.1, match.2, match.3) else { return nil }
            // If this time of day is now or past, tomorrow's is meant.
            let today = zone.day(at: now)
            let moments = [today, today.advanced(by: 1)].map { zone.moment($0, seconds: time) }
            return moments.first { $0 > now }
        }
        return tomorrow(text, now: now, in: zone) ?? date(text, in: zone)
    }

    static func error(in text: String) -> UploadFailure {
        // A number without a unit is ambiguous: minutes, hours or a time of day.
        guard let number = text.wholeMatch(of: /\+?([0-9]{1,6})/)?.1 else {
            return UploadFailure(.permanent, "--at '\(text)' is not a valid time", hint: "write \(forms)")
        }
        return UploadFailure(
            .permanent, "--at \(text) has no unit",
            hint: "+\(number)m is in \(number) minutes, +\(number)h in \(number) hours")
    }

    /// Parses a text such as `tomorrow 8:00`. The word `tomorrow` alone means the start of the next day.
    private static func tomorrow(_ text: String, now: Date, in zone: ZoneRules) -> Date? {
        guard let match = text.wholeMatch(of: /(?i:tomorrow)(?: (\d{1,2}):(\d\d)(?::(\d\d))?)?/),
            let time = time(match.1 ?? "0", match.2 ?? "0", match.3)
        else { return nil }
        return zone.moment(zone.day(at: now).advanced(by: 1), seconds: time)
    }

    private static func date(_ text: String, in zone: ZoneRules) -> Date? {
        let form =
            /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:(Z)|([+-])(\d\d):?(\d\d))?)?/
        guard let match = text.wholeMatch(of: form), let time = time(match.4 ?? "0", match.5 ?? "0", match.6)
        else { return nil }
        var zone = zone
        if match.7 != nil { zone = .gmt }
        if let sign = match.8, let hours = match.9.flatMap({ Int($0) }),
            let minutes = match.10.flatMap({ Int($0) })
        {
            guard hours < 24, minutes < 60 else { return nil }
            zone = ZoneRules(offset: (sign == "-" ? -60 : 60) * (hours * 60 + minutes))
        }
        guard let year = Int(match.1), let month = Int(match.2), let number = Int(match.3),
            let day = CivilDay(year: year, month: month, day: number)
        else { return nil }
        return zone.moment(day, seconds: time)
    }

    /// Returns the seconds since midnight; nil for an invalid time of day.
    private static func time(_ hour: Substring, _ minute: Substring, _ second: Substring?) -> Int? {
        guard let hour = Int(hour), let minute = Int(minute), let second = Int(second ?? "0"), hour < 24,
            minute < 60, second < 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}
