public import Foundation

/// How fast uploads may be by the time of day. Pure: it is told the moment and the calendar.
public struct Timetable: Hashable, Sendable {
    /// The first one that covers a moment counts.
    public var entries: [Entry]
    /// While none does.
    public var otherwise: Bandwidth

    public init(_ entries: [Entry] = [], otherwise: Bandwidth = .unlimited) {
        self.entries = entries
        self.otherwise = otherwise
    }

    /// A part of some days of the week.
    public struct Entry: Hashable, Sendable {
        /// On which it begins.
        public var days: Set<Weekday>
        /// Part of it.
        public var from: TimeOfDay
        /// Not part of it; of the next day, if it is not after `from`.
        public var to: TimeOfDay
        /// For as long as it lasts.
        public var bandwidth: Bandwidth

        public init(
            days: Set<Weekday> = Set(Weekday.allCases), from: TimeOfDay = .start, to: TimeOfDay = .end,
            _ bandwidth: Bandwidth
        ) {
            self.days = days
            self.from = from
            self.to = to
            self.bandwidth = bandwidth
        }
    }

    /// As `Calendar` counts them.
    public enum Weekday: Int, CaseIterable, Hashable, Sendable {
        case sunday = 1
        case monday, tuesday, wednesday, thursday, friday, saturday
    }

    /// To the minute, as a clock on the wall has it.
    public struct TimeOfDay: Hashable, Comparable, Sendable {
        /// After midnight, 0 to 1440.
        public let minutes: Int

        /// 00:00.
        public static let start = TimeOfDay(minutes: 0)
        /// 24:00.
        public static let end = TimeOfDay(minutes: 24 * 60)

        private init(minutes: Int) { self.minutes = minutes }

        /// Nil for what no clock shows; 24:00 is the end of the day.
        public init?(hour: Int, minute: Int) {
            guard (0...24).contains(hour), (0...59).contains(minute), hour < 24 || minute == 0 else {
                return nil
            }
            minutes = hour * 60 + minute
        }

        public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool { left.minutes < right.minutes }
    }

    /// What holds at a moment.
    ///
    /// - Returns: Nil for `entry` if it is `otherwise`.
    public func bandwidth(at date: Date, in calendar: Calendar) -> (bandwidth: Bandwidth, entry: Entry?) {
        let entry = entries.first { entry in
            entry.spans(beginning: -1...0, around: date, in: calendar).contains { $0.contains(date) }
        }
        return (entry?.bandwidth ?? otherwise, entry)
    }

    /// The next moment at which something else holds than at `date`; nil if nothing ever will.
    public func nextChange(after date: Date, in calendar: Calendar) -> Date? {
        let now = bandwidth(at: date, in: calendar).bandwidth
        // A week later everything has been there once; the days beyond are for clocks that are changed.
        let moments = Set(
            entries.flatMap { entry in
                entry.spans(beginning: -1...9, around: date, in: calendar)
                    .flatMap { [$0.lowerBound, $0.upperBound] }
            })
        return moments.filter { $0 > date }.sorted().first {
            bandwidth(at: $0, in: calendar).bandwidth != now
        }
    }
}

extension Timetable.Entry {
    /// When it lasts, for each time that it begins on one of the days counted from that of `date`.
    ///
    /// A time of day that is skipped when clocks go forward is the moment of the change; one that comes twice is meant the
    /// first time.
    fileprivate func spans(beginning days: ClosedRange<Int>, around date: Date, in calendar: Calendar)
        -> [Range<Date>]
    {
        days.compactMap { number in
            guard let day = calendar.day(number, from: date),
                let weekday = Timetable.Weekday(rawValue: calendar.component(.weekday, from: day)),
                self.days.contains(weekday), let next = calendar.day(1, from: day)
            else { return nil }
            let start = calendar.moment(from, on: day, before: next)
            guard to <= from else {
                let end = calendar.moment(to, on: day, before: next)
                return start < end ? start..<end : nil
            }
            guard let afterNext = calendar.day(1, from: next) else { return nil }
            let end = calendar.moment(to, on: next, before: afterNext)
            return start < end ? start..<end : nil
        }
    }
}

extension Calendar {
    /// The first moment of the day that comes so many days after that of `date`.
    fileprivate func day(_ number: Int, from date: Date) -> Date? {
        // Midnight may be what is skipped, and a day may have fewer hours than others; it always has a noon.
        let noon = startOfDay(for: date).addingTimeInterval(12 * 3600)
        return self.date(byAdding: .day, value: number, to: noon).map(startOfDay)
    }

    fileprivate func moment(_ time: Timetable.TimeOfDay, on day: Date, before next: Date) -> Date {
        if time == .start { return day }
        if time == .end { return next }
        let found = nextDate(
            after: day,
            matching: DateComponents(hour: time.minutes / 60, minute: time.minutes % 60, second: 0),
            matchingPolicy: .nextTime, repeatedTimePolicy: .first)
        // A day that begins at one o'clock has no half past midnight: that would be found a day later.
        guard let found, found < next else { return time.minutes < 12 * 60 ? day : next }
        return found
    }
}
