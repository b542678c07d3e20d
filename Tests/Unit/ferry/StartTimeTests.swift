import FerryProtocols
import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests the times that `--at` accepts.
struct StartTimeTests {
    private static let berlin = TimeZone(identifier: "Europe/Berlin")
    /// Noon in Berlin, in winter.
    private static let noon = "2026-11-23T11:00:00Z"

    private func date(_ text: String, now: String = noon, in zone: TimeZone? = berlin) throws -> String? {
        let now = try Date(now, strategy: .iso8601)
        return StartTime.date(text, now: now, in: ZoneRules(try #require(zone)))?.ISO8601Format()
    }

    @Test(arguments: [
        ("22:00", "2026-11-23T21:00:00Z"), ("11:59", "2026-11-24T10:59:00Z"),
        ("12:00", "2026-11-24T11:00:00Z"), ("7:05", "2026-11-24T06:05:00Z"),
        ("12:00:30", "2026-11-23T11:00:30Z"), ("00:00", "2026-11-23T23:00:00Z"),
    ])
    func `a time of day is the next one`(text: String, expected: String) throws {
        #expect(try date(text) == expected)
    }

    @Test(arguments: [
        ("2026-11-24T06:00", "2026-11-24T05:00:00Z"), ("2026-11-24 06:00", "2026-11-24T05:00:00Z"),
        ("2026-07-01T06:00:07", "2026-07-01T04:00:07Z"), ("2026-11-24T06:00Z", "2026-11-24T06:00:00Z"),
        ("2026-11-24T06:00:00Z", "2026-11-24T06:00:00Z"),
        ("2026-11-24T06:00:00.250-05:30", "2026-11-24T11:30:00Z"),
        ("2026-11-24T06:00+0200", "2026-11-24T04:00:00Z"), ("2028-02-29T00:00", "2028-02-28T23:00:00Z"),
    ])
    func `a date with a time is that moment here, or where it says`(text: String, expected: String) throws {
        #expect(try date(text) == expected)
    }

    @Test(arguments: [
        ("+90m", "2026-11-23T12:30:00Z"), ("2h30m", "2026-11-23T13:30:00Z"),
        ("+1d", "2026-11-24T11:00:00Z"), ("45s", "2026-11-23T11:00:45Z"), ("+0m", noon),
        ("+1h30m", "2026-11-23T12:30:00Z"), ("1w", "2026-11-30T11:00:00Z"), ("1.5h", "2026-11-23T12:30:00Z"),
    ])
    func `a length of time counts from now`(text: String, expected: String) throws {
        #expect(try date(text) == expected)
    }

    @Test(arguments: [
        "", "22", "24:00", "22:60", "22:00:60", "2026-02-30T06:00", "2026-13-01T06:00", "2026-02-30",
        "2026-11-24T6", "2026-11-24T06:00+25:00", "2026-11-24Z", "tomorrow 24:00", "tomorrow8:00", "today",
        "90",
        "+90", "m", "-90m", "2h 30m", "10x", "++90m", "+22:00", "1000000000000000000000h", "２２:００", "２h",
    ])
    func `anything else is no time`(text: String) throws {
        #expect(try date(text) == nil)
    }

    @Test(arguments: [
        ("tomorrow", "2026-11-23T23:00:00Z"), ("tomorrow 8:00", "2026-11-24T07:00:00Z"),
        ("Tomorrow 22:00:30", "2026-11-24T21:00:30Z"), ("2026-11-24", "2026-11-23T23:00:00Z"),
        ("2027-07-01", "2027-06-30T22:00:00Z"),
    ])
    func `tomorrow and a date alone are that day from its start on`(text: String, expected: String) throws {
        #expect(try date(text) == expected)
    }

    @Test(arguments: [("2027-03-14", noon), ("tomorrow", "2027-03-13T12:00:00Z")])
    func `a day starts later if the clock passes over its midnight`(text: String, now: String) throws {
        // The clocks go from 00:00 to 01:00.
        #expect(
            try date(text, now: now, in: TimeZone(identifier: "America/Havana")) == "2027-03-14T05:00:00Z")
    }

    @Test func `a number without a unit is refused with what it would be with one`() {
        let error = StartTime.error(in: "+90")
        #expect(error.summary == "--at +90 has no unit")
        #expect(error.hint == "+90m is in 90 minutes, +90h in 90 hours")
    }

    @Test(arguments: [
        // The clocks go from 02:00 to 03:00.
        ("02:30", "2027-03-27T12:00:00Z", "2027-03-28T01:00:00Z"),
        ("2027-03-28T02:30", noon, "2027-03-28T01:00:00Z"),
        // The clocks go from 03:00 back to 02:00.
        ("02:30", "2027-10-30T12:00:00Z", "2027-10-31T00:30:00Z"),
        ("2027-10-31 02:30", noon, "2027-10-31T00:30:00Z"),
    ])
    func `a time that the clock passes over is the next there is, and of two alike the first`(
        text: String, now: String, expected: String
    ) throws {
        #expect(try date(text, now: now) == expected)
    }
}
