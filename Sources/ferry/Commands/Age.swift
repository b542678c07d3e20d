import ArgumentParser
import Foundation

/// A length of time as people write it: `90s`, `30m`, `12h`, `2d`, `3w`.
struct Age: ExpressibleByArgument {
    var seconds: Double

    init?(argument: String) {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int(argument.dropLast()),
            (0...1_000_000).contains(count)
        else { return nil }
        seconds = Double(count) * unit
    }
}

/// A moment in the past: so long ago (`2d`), the beginning of a day here (`2026-05-31`), or a full date of ISO 8601.
struct PastMoment: ExpressibleByArgument {
    private enum Form {
        case ago(Age)
        case date(Date)
    }

    private let form: Form

    init?(argument: String) {
        if let age = Age(argument: argument) {
            form = .ago(age)
        } else if let date = try? Date(argument, strategy: .iso8601) {
            form = .date(date)
        } else if let day = try? Date(
            argument, strategy: Date.ISO8601FormatStyle(timeZone: .current).year().month().day())
        {
            form = .date(day)
        } else {
            return nil
        }
    }

    func date(now: Date) -> Date {
        switch form {
        case .ago(let age): now.addingTimeInterval(-age.seconds)
        case .date(let date): date
        }
    }
}
