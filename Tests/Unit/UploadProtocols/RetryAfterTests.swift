import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// Fri, 20 Nov 2026 23:00:00 GMT
private let now = Date(timeIntervalSince1970: 1_795_215_600)

struct RetryAfterTests {
    private struct Vectors: Decodable {
        struct Case: Decodable {
            var field: String
            var seconds: Double?

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                field = try container.decode(String.self)
                if (try? container.decode(String.self)) == "cap" {
                    seconds = RetryAfter.longest
                } else {
                    seconds = try container.decodeIfPresent(Double.self)
                }
            }
        }

        var cases: [Case]
    }

    @Test func `P3 every vector is read as the standard says`() throws {
        let cases = try vectors("retry-after", as: Vectors.self).cases
        #expect(cases.count == 10)
        for vector in cases {
            #expect(
                RetryAfter.seconds(in: [.retryAfter: vector.field], now: now) == vector.seconds, "\(vector)")
        }
    }

    @Test func `P3 a date counts from the server's own clock`() {
        let fields: HTTPFields = [
            .retryAfter: "Fri, 20 Nov 2026 23:02:00 GMT", .date: "Fri, 20 Nov 2026 23:01:30 GMT",
        ]
        #expect(RetryAfter.seconds(in: fields, now: now.addingTimeInterval(-1_000_000)) == 30)
    }

    /// Tests the wait that a server asks for. The server's clock is at 23:01:30, and the client's is wrong by ten
    /// years.
    @Test(
        arguments: [
            ("0", 0), ("00", 0), ("1", 1), ("007", 7), (" 5\t", 5), ("120", 120), ("86399", 86_399),
            ("86400", 86_400), ("86401", 86_400), ("1000000000", 86_400), ("99999999999999999999", 86_400),
            (String(repeating: "9", count: 400), 86_400), ("-1", nil), ("-0", nil), ("+5", nil), ("1e9", nil),
            ("1.5", nil), ("5 seconds", nil), ("5, 7", nil), ("٣", nil), ("soon", nil),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 20 Nov 2026 23:01:29 GMT", 0),
            ("Fri, 20 Nov 2026 23:02:00 GMT", 30), ("Sat, 21 Nov 2026 23:01:29 GMT", 86_399),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400), ("Fri, 20 Nov 2026 23:02:00 CET", nil),
            ("2026-11-20T23:02:00Z", nil),
        ] as [(String, Double?)])
    func `P3 whatever the field says is a wait of at most a day, or none`(value: String, seconds: Double?) {
        let fields: HTTPFields = [.retryAfter: value, .date: "Fri, 20 Nov 2026 23:01:30 GMT"]
        #expect(RetryAfter.seconds(in: fields, now: now.addingTimeInterval(-3.2e8)) == seconds)
    }

    @Test(arguments: ["Fri, 20 Nov 2026 23:02:00 GMT"])
    func `P3 a date of a server that does not send its own time counts from ours`(value: String) {
        for date in [nil, "", "now", "Fri, 20 Nov 2026 25:01:30 GMT"] {
            var fields: HTTPFields = [.retryAfter: value]
            fields[.date] = date
            #expect(RetryAfter.seconds(in: fields, now: now) == 120)
        }
    }

    @Test(arguments: [429, 503], ["Retry-After", "retry-after", "RETRY-AFTER"])
    func `P3 the wait counts with either status, however the field is written`(status: Int, name: String)
        throws
    {
        let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "40")
        let failure = ResponseClassifier.failure(
            ExchangeOutcome.Response(status: status, fields: HTTPFields([field])))
        #expect(failure.category == .server)
        #expect(failure.retryAfter == 40)
    }

    @Test(arguments: ["Fri, 31 Dec 9999 23:59:59 GMT", "86401", "1000000000"])
    func `P3 a longer wait is cut to the longest`(value: String) {
        #expect(RetryAfter.seconds(in: [.retryAfter: value], now: now) == RetryAfter.longest)
    }

    @Test(arguments: ["", " ", "+5", "１２", "0x10", "1,2", "nan", "inf"])
    func `P3 a Retry-After value that is no wait is ignored`(value: String) {
        #expect(RetryAfter.seconds(in: [.retryAfter: value], now: now) == nil)
    }

    @Test func `a response without the field asks for no wait`() {
        #expect(RetryAfter.seconds(in: [:], now: now) == nil)
    }
}

struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `the three forms of the standard are one instant`(text: String) {
        #expect(HTTPDate.parse(text, now: now) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(arguments: [
        "", "soon", "2026-11-20T23:00:00Z", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Thu, 30 Feb 1995 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
        "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT",
    ])
    func `anything else is no date`(text: String) {
        #expect(HTTPDate.parse(text, now: now) == nil)
    }

    @Test func `two digits of a year are at most 50 years ahead`() {
        let years = ["76", "77"].map { year in
            HTTPDate.parse("Friday, 20-Nov-\(year) 00:00:00 GMT", now: now).map(HTTPDate.format)
        }
        #expect(years == ["Fri, 20 Nov 2076 00:00:00 GMT", "Sun, 20 Nov 1977 00:00:00 GMT"])
    }

    @Test(arguments: [0, 951_782_399, 951_782_400, 784_111_777, -1, 253_402_300_799, -62_135_596_800])
    func `a written date is read back`(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(HTTPDate.parse(HTTPDate.format(date), now: now) == date || seconds == -62_135_596_800)
    }

    @Test func `dates out of range are written as the nearest`() {
        #expect(HTTPDate.format(.distantPast) == "Mon, 01 Jan 0001 00:00:00 GMT")
        #expect(HTTPDate.format(Date(timeIntervalSince1970: 1e300)) == "Fri, 31 Dec 9999 23:59:59 GMT")
    }
}
