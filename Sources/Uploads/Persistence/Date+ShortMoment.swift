package import Foundation

extension Date {
    /// Local time, to the minute; with the day unless that is today's.
    package var shortMoment: String {
        var seconds = time_t(exactly: timeIntervalSince1970.rounded(.down)) ?? 0
        var now = time(nil)
        var (parts, today) = (tm(), tm())
        localtime_r(&seconds, &parts)
        localtime_r(&now, &today)
        func digits(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let clock = "\(digits(parts.tm_hour)):\(digits(parts.tm_min))"
        guard parts.tm_year != today.tm_year || parts.tm_yday != today.tm_yday else { return clock }
        return "\(Int(parts.tm_year) + 1900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday)) \(clock)"
    }
}
