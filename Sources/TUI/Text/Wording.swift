import FerryProtocols
import FerryUploads
import Foundation

/// How times, counts and shares are written.
package enum Wording {
    /// `00:42`, `12:31`, `1:21:07`, `3d 04h`: at most eight columns; dashes for what is not known.
    package static func remaining(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, seconds >= 0, seconds < 100 * 86_400 else { return "--:--" }
        let total = Int(seconds.rounded())
        if total >= 86_400 { return "\(total / 86_400)d \(padded(total / 3600 % 24))h" }
        if total >= 3600 { return "\(total / 3600):\(padded(total / 60 % 60)):\(padded(total % 60))" }
        return "\(padded(total / 60)):\(padded(total % 60))"
    }

    /// A countdown: `in 12 s`, `in 4 min`, `now`.
    static func wait(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds > 0 else { return "now" }
        if seconds > 99 * 3600 { return "later" }
        if seconds >= 5400 { return "in \(Int((seconds / 3600).rounded())) h" }
        if seconds >= 100 { return "in \(Int((seconds / 60).rounded())) min" }
        return "in \(Int(seconds.rounded(.up))) s"
    }

    /// The time of day, `14:02:40`.
    static func timeOfDay(_ date: Date, in zone: TimeZone) -> String {
        let local = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
        guard let seconds = Int(exactly: local.rounded(.down)) else { return "--:--:--" }
        let ofDay = ((seconds % 86_400) + 86_400) % 86_400
        return "\(padded(ofDay / 3600)):\(padded(ofDay / 60 % 60)):\(padded(ofDay % 60))"
    }

    /// To the minute, `14:02`; from a day after `now` on with the day of the week, `Mon 08:00`, and where that would not
    /// tell which one, with the date, `2026-11-30 08:00`.
    static func moment(_ date: Date, after now: Date, in zone: TimeZone) -> String {
        let time = String(timeOfDay(date, in: zone).dropLast(3))
        let distance = date.timeIntervalSince(now)
        guard distance >= 86_400 else { return time }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let day = calendar.dateComponents([.year, .month, .day, .weekday], from: date)
        if distance < 7 * 86_400, let weekday = day.weekday, weekdays.indices.contains(weekday - 1) {
            return "\(weekdays[weekday - 1]) \(time)"
        }
        return "\(day.year ?? 0)-\(padded(day.month ?? 0))-\(padded(day.day ?? 0)) \(time)"
    }

    /// The time of a past event to the minute: `14:02` today, `2026-11-30 08:00` on other days.
    static func moment(_ date: Date, before now: Date, in zone: TimeZone) -> String {
        let time = String(timeOfDay(date, in: zone).dropLast(3))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        guard !calendar.isDate(date, inSameDayAs: now) else { return time }
        let day = calendar.dateComponents([.year, .month, .day], from: date)
        return "\(day.year ?? 0)-\(padded(day.month ?? 0))-\(padded(day.day ?? 0)) \(time)"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// When an upload starts: `after 12`, `at 22:00`; nil if it may start now.
    static func start(of upload: Upload, in model: Model) -> String? {
        guard case .queued = upload.state else { return nil }
        return upload.start?.words { moment($0, after: model.clock.date, in: model.appearance.zone) }
    }

    /// A count with commas: `1,284`.
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

    /// `1 upload`, `3 uploads`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `1 upload waits`, `3 uploads wait`.
    static func waiting(_ number: Int) -> String {
        "\(count(number, "upload")) wait\(number == 1 ? "s" : "")"
    }

    /// `12 of 40 parts`.
    static func parts(_ parts: Resource.Parts) -> String { "\(parts.held) of \(parts.planned) parts" }

    /// Whole percent, 100 only for the whole.
    static func percent(_ part: Int64, of whole: Int64) -> Int {
        guard whole > 0, part > 0 else { return 0 }
        if part >= whole { return 100 }
        return min(99, Int(Double(part) / Double(whole) * 100))
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
