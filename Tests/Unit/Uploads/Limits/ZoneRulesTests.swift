import FerryTestSupport
import Foundation
import Testing

@testable import FerryUploads

/// Compares Ferry's time zone rules and calendar days with Foundation's.
struct ZoneRulesTests {
    private static let names = [
        "GMT", "Europe/Berlin", "America/New_York", "America/Havana", "Australia/Lord_Howe", "Asia/Kathmandu",
        "Pacific/Apia", "Africa/Casablanca", "Asia/Beirut",
    ]

    private static func calendar(_ name: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: name))
        return calendar
    }

    @Test(arguments: names)
    func `a moment has the day and the time that a calendar shows`(name: String) throws {
        let calendar = try Self.calendar(name)
        let zone = ZoneRules(calendar.timeZone)
        for step in 0..<3000 {
            let date = Date(timeIntervalSince1970: 1_300_000_000 + Double(step) * 131_071.5)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .weekday, .hour, .minute, .second], from: date)
            let day = zone.day(at: date)
            let time = zone.timeOfDay(at: date)
            #expect(day.date == (parts.year, parts.month, parts.day) as (Int?, Int?, Int?))
            #expect(day.weekday + 1 == parts.weekday)
            #expect([time / 3600, time / 60 % 60, time % 60] == [parts.hour, parts.minute, parts.second])
        }
    }

    @Test(arguments: names)
    func `each day begins where a calendar lets it begin`(name: String) throws {
        let calendar = try Self.calendar(name)
        let zone = ZoneRules(calendar.timeZone)
        // The days from 2015 to 2030.
        for number in 16_436..<22_280 {
            let start = zone.moment(CivilDay(number: number))
            #expect(start == calendar.startOfDay(for: start), "day \(number)")
            #expect(zone.day(at: start).number == number)
            #expect(zone.day(at: start.addingTimeInterval(-1)).number == number - 1)
        }
    }

    @Test func `a time that comes twice is the first, and a skipped one is the change`() throws {
        let zone = ZoneRules(try Self.calendar("Europe/Berlin").timeZone)
        let autumn = try #require(CivilDay(year: 2026, month: 10, day: 25))
        let spring = try #require(CivilDay(year: 2027, month: 3, day: 28))
        #expect(zone.moment(autumn, seconds: 9000).ISO8601Format() == "2026-10-25T00:30:00Z")
        #expect(zone.moment(autumn, seconds: 3 * 3600).ISO8601Format() == "2026-10-25T02:00:00Z")
        #expect(zone.moment(spring, seconds: 9000).ISO8601Format() == "2027-03-28T01:00:00Z")
        #expect(zone.moment(spring, seconds: 3 * 3600).ISO8601Format() == "2027-03-28T01:00:00Z")
    }

    @Test(arguments: [(2026, 2, 29), (2026, 4, 31), (2026, 13, 1), (2026, 0, 1), (2026, 1, 0), (2100, 2, 29)])
    func `a day that no month has is none`(year: Int, month: Int, day: Int) {
        #expect(CivilDay(year: year, month: month, day: day) == nil)
    }

    @Test func `the zone of this process is the one that Foundation finds`() {
        for step in 0..<40 {
            let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(step) * 1_000_003)
            #expect(ZoneRules.local.offset(date) == TimeZone.current.secondsFromGMT(for: date))
        }
    }
}
