import FerryTestSupport
import Foundation
import Testing

@testable import FerryUploads

struct TimetableTests {
    private typealias Time = Timetable.TimeOfDay

    private static let work: Set<Timetable.Weekday> = [.monday, .tuesday, .wednesday, .thursday, .friday]
    private static let slow = Bandwidth.atMost(2_000_000)

    private static func calendar(_ zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return calendar
    }

    private static func time(_ hour: Int, _ minute: Int = 0) throws -> Time {
        try #require(Time(hour: hour, minute: minute))
    }

    /// Returns the date of a text such as `2026-11-23 08:00` in the calendar's zone. If the time occurs twice, it is
    /// the first one.
    private static func date(_ text: String, _ calendar: Calendar) throws -> Date {
        let numbers = text.split(whereSeparator: { "- :".contains($0) }).compactMap { Int($0) }
        return try #require(
            calendar.date(
                from: DateComponents(
                    year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3],
                    minute: numbers[4])))
    }

    /// Returns the times at which the limit changes, with the new limits. The first entry is the limit at `start`.
    private static func course(
        of timetable: Timetable, from start: String, changes: Int, in zone: String
    ) throws -> [String] {
        let calendar = try calendar(zone)
        let form = DateFormatter()
        form.locale = Locale(identifier: "en_US_POSIX")
        form.timeZone = calendar.timeZone
        form.dateFormat = "EEE MM-dd HH:mm xxx"
        var date = try date(start, calendar)
        func rate() -> String {
            timetable.bandwidth(at: date, in: ZoneRules(calendar.timeZone)).bandwidth.rate.map { "\($0)" }
                ?? "full"
        }
        var rates = [rate()]
        for _ in 0..<changes {
            guard let next = timetable.nextChange(after: date, in: ZoneRules(calendar.timeZone)) else {
                return rates + ["never"]
            }
            date = next
            rates.append("\(form.string(from: date)) \(rate())")
        }
        return rates
    }

    @Test(arguments: [
        ("2026-11-23 07:59", false), ("2026-11-23 08:00", true), ("2026-11-23 17:59", true),
        ("2026-11-23 18:00", false), ("2026-11-27 12:00", true), ("2026-11-28 12:00", false),
    ])
    func `an entry holds from its first minute to before its last, on its days`(moment: String, isSlow: Bool)
        throws
    {
        let timetable = Timetable([
            .init(days: Self.work, from: try Self.time(8), to: try Self.time(18), Self.slow)
        ])
        let calendar = try Self.calendar("Europe/Berlin")
        let found = timetable.bandwidth(at: try Self.date(moment, calendar), in: ZoneRules(calendar.timeZone))
        #expect(found.bandwidth == (isSlow ? Self.slow : .unlimited))
        #expect((found.entry != nil) == isSlow)
    }

    @Test func `the next change passes over days that the entry does not name`() throws {
        let timetable = Timetable([
            .init(days: Self.work, from: try Self.time(8), to: try Self.time(18), Self.slow)
        ])
        #expect(
            try Self.course(of: timetable, from: "2026-11-27 12:00", changes: 3, in: "Europe/Berlin") == [
                "2000000", "Fri 11-27 18:00 +01:00 full", "Mon 11-30 08:00 +01:00 2000000",
                "Mon 11-30 18:00 +01:00 full",
            ])
    }

    @Test
    func `one that does not end after it begins continues over midnight, into a day that it does not name`()
        throws
    {
        let timetable = Timetable([
            .init(days: [.friday], from: try Self.time(22), to: try Self.time(6), Self.slow)
        ])
        #expect(
            try Self.course(of: timetable, from: "2026-11-28 01:00", changes: 2, in: "Asia/Tokyo") == [
                "2000000", "Sat 11-28 06:00 +09:00 full", "Fri 12-04 22:00 +09:00 2000000",
            ])
    }

    @Test func `the first timetable entry that fits applies, or else the plain limit`() throws {
        let timetable = Timetable(
            [
                .init(from: try Self.time(12), to: try Self.time(13), .unlimited),
                .init(from: try Self.time(8), to: try Self.time(18), Self.slow),
            ], otherwise: .atMost(9))
        #expect(
            try Self.course(of: timetable, from: "2026-11-23 00:00", changes: 5, in: "GMT") == [
                "9", "Mon 11-23 08:00 +00:00 2000000", "Mon 11-23 12:00 +00:00 full",
                "Mon 11-23 13:00 +00:00 2000000", "Mon 11-23 18:00 +00:00 9",
                "Tue 11-24 08:00 +00:00 2000000",
            ])
    }

    @Test func `whole days that follow each other are one time, without a change at midnight`() throws {
        let weekend = Timetable([.init(days: [.saturday, .sunday], Self.slow)])
        #expect(
            try Self.course(of: weekend, from: "2026-11-28 10:00", changes: 2, in: "GMT") == [
                "2000000", "Mon 11-30 00:00 +00:00 full", "Sat 12-05 00:00 +00:00 2000000",
            ])
    }

    @Test func `a limit that always applies never changes`() throws {
        let noon = try Self.time(12)
        for timetable in [
            Timetable(), Timetable([.init(Self.slow)]), Timetable([.init(from: noon, to: noon, Self.slow)]),
            Timetable([.init(from: noon, .atMost(9))], otherwise: .atMost(9)),
        ] {
            let changes = try Self.course(
                of: timetable, from: "2026-03-28 10:00", changes: 1, in: "Europe/Berlin")
            #expect(changes.last == "never")
        }
    }

    /// Tests the changes of the clocks in Berlin: from 02:00 to 03:00 on 2026-03-29, and from 03:00 back to 02:00 on
    /// 2026-10-25.
    @Test func `a time that is skipped when clocks go forward is the moment of the change`() throws {
        let from = Timetable([.init(from: try Self.time(2, 30), to: try Self.time(4), Self.slow)])
        #expect(
            try Self.course(of: from, from: "2026-03-28 12:00", changes: 2, in: "Europe/Berlin") == [
                "full", "Sun 03-29 03:00 +02:00 2000000", "Sun 03-29 04:00 +02:00 full",
            ])
        let to = Timetable([.init(from: try Self.time(1), to: try Self.time(2, 30), Self.slow)])
        #expect(
            try Self.course(of: to, from: "2026-03-28 12:00", changes: 2, in: "Europe/Berlin") == [
                "full", "Sun 03-29 01:00 +01:00 2000000", "Sun 03-29 03:00 +02:00 full",
            ])
        let within = Timetable([.init(from: try Self.time(2, 15), to: try Self.time(2, 45), Self.slow)])
        #expect(
            try Self.course(of: within, from: "2026-03-28 12:00", changes: 1, in: "Europe/Berlin") == [
                "full", "Mon 03-30 02:15 +02:00 2000000",
            ])
    }

    @Test func `a time that comes twice when clocks go back is meant the first time`() throws {
        let timetable = Timetable([.init(from: try Self.time(2, 30), to: try Self.time(4), Self.slow)])
        #expect(
            try Self.course(of: timetable, from: "2026-10-24 12:00", changes: 2, in: "Europe/Berlin") == [
                "full", "Sun 10-25 02:30 +02:00 2000000", "Sun 10-25 04:00 +01:00 full",
            ])
    }

    /// Tests São Paulo, where 2018-11-04 began at 01:00, and Apia, which had no 2011-12-30.
    @Test func `a day without a midnight begins when it begins, and one that is not there is passed over`()
        throws
    {
        let sunday = Timetable([.init(days: [.sunday], Self.slow)])
        #expect(
            try Self.course(of: sunday, from: "2018-11-03 12:00", changes: 2, in: "America/Sao_Paulo") == [
                "full", "Sun 11-04 01:00 -02:00 2000000", "Mon 11-05 00:00 -02:00 full",
            ])
        let early = Timetable([.init(from: try Self.time(22), to: try Self.time(0, 30), Self.slow)])
        #expect(
            try Self.course(of: early, from: "2018-11-03 12:00", changes: 2, in: "America/Sao_Paulo") == [
                "full", "Sat 11-03 22:00 -03:00 2000000", "Sun 11-04 01:00 -02:00 full",
            ])
        let friday = Timetable([.init(days: [.friday, .saturday], Self.slow)])
        #expect(
            try Self.course(of: friday, from: "2011-12-28 12:00", changes: 2, in: "Pacific/Apia") == [
                "full", "Sat 12-31 00:00 +14:00 2000000", "Sun 01-01 00:00 +14:00 full",
            ])
    }

    @Test func `an hour and minute that no clock shows are refused, and 24:00 is the end`() throws {
        #expect(Time(hour: 24, minute: 0) == .end)
        for (hour, minute) in [(24, 1), (25, 0), (-1, 0), (8, 60), (8, -1)] {
            #expect(Time(hour: hour, minute: minute) == nil)
        }
    }

    @Test func `a limit that a command set overrides a timetable, and has no end`() throws {
        let calendar = try Self.calendar("GMT")
        let timetable = Timetable([.init(from: try Self.time(8), to: try Self.time(18), Self.slow)])
        let date = try Self.date("2026-11-23 09:00", calendar)
        let evening = try Self.date("2026-11-23 18:00", calendar)
        #expect(
            LimitSchedule(zone: ZoneRules(calendar.timeZone))
                .limit(of: .total, timetable, order: nil, at: date)
                == BandwidthLimit(.total, Self.slow, origin: .timetable, until: evening))
        #expect(
            LimitSchedule(zone: ZoneRules(calendar.timeZone))
                .limit(of: .total, timetable, order: .unlimited, at: date)
                == BandwidthLimit(.total, .unlimited, origin: .command))
    }
}
