/// The bandwidth limits for weekdays and times of day.
public struct Timetable: Hashable, Sendable {
    /// The parts of the week with their own limits. The first one that contains a moment applies.
    public var entries: [Entry]
    /// The limit at times that are not in any entry.
    public var otherwise: Bandwidth

    public init(_ entries: [Entry] = [], otherwise: Bandwidth = .unlimited) {
        self.entries = entries
        self.otherwise = otherwise
    }

    /// The limit for a part of the day, on some days of the week.
    public struct Entry: Hashable, Sendable {
        /// The weekdays on which the limit begins to apply.
        public var days: Set<Weekday>
        /// The time of day at which the limit begins to apply.
        public var from: TimeOfDay
        /// The time of day at which the limit ceases to apply, on the next day if it is not later than `from`.
        public var to: TimeOfDay
        /// The limit that applies between the times `from` and `to`.
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

    /// A weekday, with the number that `Calendar` uses: Sunday is 1.
    public enum Weekday: Int, CaseIterable, Hashable, Sendable {
        case sunday = 1
        case monday, tuesday, wednesday, thursday, friday, saturday
    }

    /// A time of day to the minute, in local time.
    public struct TimeOfDay: Hashable, Comparable, Sendable {
        /// The minutes after midnight, 0 to 1440.
        public let minutes: Int

        /// 00:00.
        public static let start = TimeOfDay(minutes: 0)
        /// 24:00.
        public static let end = TimeOfDay(minutes: 24 * 60)

        private init(minutes: Int) { self.minutes = minutes }

        /// Creates a time of day; nil if the hour or the minute is out of range. 24:00 is the end of the day.
        public init?(hour: Int, minute: Int) {
            guard (0...24).contains(hour), (0...59).contains(minute), hour < 24 || minute == 0 else {
                return nil
            }
            minutes = hour * 60 + minute
        }

        public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool { left.minutes < right.minutes }
    }

    /// Returns the limit at a moment, and the entry that contains the moment; nil if that is none.
    public func bandwidth(at date: Date, in zone: ZoneRules) -> (bandwidth: Bandwidth, entry: Entry?) {
        let entry = entries.first { entry in
            entry.spans(beginning: -1...0, around: date, in: zone).contains { $0.contains(date) }
        }
        return (entry?.bandwidth ?? otherwise, entry)
    }

    /// Returns the next moment at which the limit differs from the limit at `date`; nil if there is none.
    public func nextChange(after date: Date, in zone: ZoneRules) -> Date? {
        let now = bandwidth(at: date, in: zone).bandwidth
        // Two more days than a week allow for clock changes.
        let moments = Set(
            entries.flatMap { entry in
                entry.spans(beginning: -1...9, around: date, in: zone)
                    .flatMap { [$0.lowerBound, $0.upperBound] }
            })
        return moments.filter { $0 > date }.sorted().first {
            bandwidth(at: $0, in: zone).bandwidth != now
        }
    }
}

extension Timetable.Entry {
    /// Returns the times at which the entry's limit applies, one for each of the `days`, counted from the day of
    /// `date`. If a clock change skips a time, its moment is used; if a time occurs twice, the first one.
    fileprivate func spans(beginning days: ClosedRange<Int>, around date: Date, in zone: ZoneRules)
        -> [Range<Date>]
    {
        let today = zone.day(at: date)
        return days.compactMap { number in
            let day = today.advanced(by: number)
            guard let weekday = Timetable.Weekday(rawValue: day.weekday + 1), self.days.contains(weekday)
            else {
                return nil
            }
            let start = zone.moment(day, seconds: from.minutes * 60)
            let end = zone.moment(to > from ? day : day.advanced(by: 1), seconds: to.minutes * 60)
            return start < end ? start..<end : nil
        }
    }
}
