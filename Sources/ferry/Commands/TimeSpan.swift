import ArgumentParser
import FerryUploads

/// A length of time with units: `90s`, `30m`, `1h30m`, `2d`, `3w`, `0.5s`.
struct TimeSpan: ExpressibleByArgument {
    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    /// The maximum length in seconds: about thirty years.
    fileprivate static let longest = 1e9

    /// The number of seconds, 0 or more.
    var seconds: Double

    init?(argument: String) {
        guard argument.wholeMatch(of: /(?:[0-9]{1,12}(?:\.[0-9]{1,9})?[smhdw])+/) != nil else { return nil }
        let parts = argument.matches(of: /([0-9.]+)([smhdw])/)
        seconds = parts.reduce(0) { sum, part in
            sum + (Double(part.1) ?? .infinity) * (part.2.first.flatMap { Self.units[$0] } ?? .infinity)
        }
        guard seconds <= Self.longest else { return nil }
    }
}

/// A length of time on the command line. A bare number is seconds: `5` is `5s`.
struct DurationArgument: ExpressibleByArgument, CustomStringConvertible {
    static let forms = "seconds, or such as 30m and 1h30m"

    /// The number of seconds, 0 or more.
    var seconds: Double

    init?(argument: String) {
        // Other programs print numbers in forms such as `.5` and `1e3`.
        if argument.wholeMatch(of: /[0-9.]+(?:[eE][-+]?[0-9]+)?/) != nil, let number = Double(argument) {
            guard number <= TimeSpan.longest else { return nil }
            seconds = number
        } else {
            guard let span = TimeSpan(argument: argument) else { return nil }
            seconds = span.seconds
        }
    }

    init(seconds: Double) { self.seconds = seconds }

    /// The number of seconds in a form that `init(argument:)` reads.
    var description: String { Int(exactly: seconds).map(String.init) ?? "\(seconds)" }
}

/// The moment of `--since`: a time span ago (`2d`), the start of a local day (`2026-05-31`), or an ISO 8601 time.
struct SinceArgument: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        if let span = TimeSpan(argument: argument) {
            date = Date().addingTimeInterval(-span.seconds)
        } else if let moment = try? Date(argument, strategy: .iso8601) {
            date = moment
        } else if let match = argument.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)/), let year = Int(match.1),
            let month = Int(match.2), let number = Int(match.3),
            let day = CivilDay(year: year, month: month, day: number)
        {
            date = ZoneRules.local.moment(day)
        } else {
            return nil
        }
    }
}
