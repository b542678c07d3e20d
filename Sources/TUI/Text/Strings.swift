import FerryProtocols
package import FerryUploads

/// Texts for times, counts and percentages.
package enum Strings {
    /// Returns a remaining time in at most eight cells: `00:42`, `1:21:07`, `3d 04h`; dashes from 100 days on.
    package static func remaining(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, seconds >= 0, seconds < 100 * 86_400 else { return "--:--" }
        let total = Int(seconds.rounded())
        if total >= 86_400 { return "\(total / 86_400)d \(padded(total / 3600 % 24))h" }
        if total >= 3600 { return "\(total / 3600):\(padded(total / 60 % 60)):\(padded(total % 60))" }
        return "\(padded(total / 60)):\(padded(total % 60))"
    }

    /// Returns a countdown: `in 12 s`, `in 4 min`, `now`; `later` from 99 hours on.
    package static func wait(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds > 0 else { return "now" }
        if seconds > 99 * 3600 { return "later" }
        if seconds >= 5400 { return "in \(Int((seconds / 3600).rounded())) h" }
        if seconds >= 100 { return "in \(Int((seconds / 60).rounded())) min" }
        return "in \(Int(seconds.rounded(.up))) s"
    }

    /// Returns the time of day, `14:02:40`.
    package static func timeOfDay(_ date: Date, in zone: ZoneRules) -> String {
        let seconds = zone.timeOfDay(at: date)
        return "\(padded(seconds / 3600)):\(padded(seconds / 60 % 60)):\(padded(seconds % 60))"
    }

    /// Returns the day, `2026-11-30`.
    package static func day(_ date: Date, in zone: ZoneRules) -> String {
        let day = zone.day(at: date).date
        return "\(day.year)-\(padded(day.month))-\(padded(day.day))"
    }

    /// Returns a future time: `14:02` for less than a day, `Mon 08:00` for a week, else `2026-11-30 08:00`.
    static func moment(_ date: Date, after now: Date, in zone: ZoneRules) -> String {
        let time = String(timeOfDay(date, in: zone).dropLast(3))
        let distance = date.timeIntervalSince(now)
        guard distance >= 86_400 else { return time }
        let day = distance < 7 * 86_400 ? weekdays[zone.day(at: date).weekday] : self.day(date, in: zone)
        return "\(day) \(time)"
    }

    /// Returns a past time: `14:02` today, `2026-11-30 08:00` on other days.
    static func moment(_ date: Date, before now: Date, in zone: ZoneRules) -> String {
        let time = String(timeOfDay(date, in: zone).dropLast(3))
        return zone.day(at: date) == zone.day(at: now) ? time : "\(day(date, in: zone)) \(time)"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// Returns the start condition of a queued upload: `after 12`, `at 22:00`.
    static func start(of upload: Upload, in model: Model) -> String? {
        guard case .queued = upload.state else { return nil }
        return upload.start?.words { moment($0, after: model.clock.date, in: model.appearance.zone) }
    }

    /// Returns a count with commas: `1,284`.
    static func count(_ number: Int) -> String {
        var groups: [Substring] = []
        var digits = Substring(String(number.magnitude))
        while digits.count > 3 {
            groups.append(digits.suffix(3))
            digits = digits.dropLast(3)
        }
        groups.append(digits)
        return (number < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }

    /// Returns a count with its noun: `1 upload`, `3 uploads`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    static func waiting(_ number: Int) -> String {
        "\(count(number, "upload")) wait\(number == 1 ? "s" : "")"
    }

    static func parts(_ parts: UploadResource.Parts) -> String { "\(parts.stored) of \(parts.planned) parts" }

    static func joined(_ parts: [String?], by separator: String) -> String {
        parts.compactMap(\.self).joined(separator: separator)
    }

    /// Returns a whole percentage: 100 only if nothing is missing, and 0 if `whole` is 0.
    static func percent(_ part: Int64, of whole: Int64) -> Int {
        guard whole > 0, part > 0 else { return 0 }
        if part >= whole { return 100 }
        return min(99, Int(Double(part) / Double(whole) * 100))
    }

    /// Returns an ASCII text with trailing spaces up to `width`.
    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
