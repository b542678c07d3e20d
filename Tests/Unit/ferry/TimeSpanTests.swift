import Foundation
import Testing

@testable import FerryCommand

/// Tests the durations that options accept.
struct TimeSpanTests {
    @Test(
        arguments: [
            ("90s", 90), ("30m", 1800), ("1h30m", 5400), ("2d", 172_800), ("3w", 1_814_400), ("0.5s", 0.5),
            ("1.5h", 5400), ("0m", 0),
        ] as [(String, Double)])
    func `numbers with units are added up`(text: String, seconds: Double) {
        #expect(TimeSpan(argument: text)?.seconds == seconds)
        #expect(DurationArgument(argument: text)?.seconds == seconds)
    }

    @Test(arguments: ["", "m", "1x", "-1m", "+1m", "1h 30m", "1h30", ".5s", "1.s", "1e3s", "２h", "99999w"])
    func `anything else is none`(text: String) {
        #expect(TimeSpan(argument: text) == nil)
        #expect(DurationArgument(argument: text) == nil)
    }

    @Test(
        arguments: [
            ("5", 5), ("0", 0), ("0.1", 0.1), ("86400", 86_400), (".5", 0.5), ("1e3", 1000),
            ("252.00000000000003", 252.00000000000003),
        ] as [(String, Double)])
    func `a number alone is seconds only where it always was`(text: String, seconds: Double) {
        #expect(DurationArgument(argument: text)?.seconds == seconds)
        #expect(TimeSpan(argument: text) == nil)
    }
}
