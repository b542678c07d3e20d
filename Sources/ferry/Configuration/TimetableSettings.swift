import FerryProtocols
import FerryUploads

/// The member `limits` of a destination in the configuration.
struct DestinationLimits: Decodable {
    var bandwidth: Timetable

    init(from decoder: any Decoder) throws {
        bandwidth = try Fields(decoder, ConfigurationTable.destinationLimits).timetable()
    }
}

extension Fields {
    /// Returns the bandwidth limits: those of certain hours in `timetable`, and `bandwidth` for all other hours.
    func timetable() throws -> Timetable {
        let entries: [TimetableEntry] = try value("timetable") ?? []
        return Timetable(
            entries.map(\.entry), otherwise: try amount("bandwidth").map { .atMost($0) } ?? .unlimited)
    }

}

/// An element of the array `timetable`: a bandwidth limit for certain days and hours.
private struct TimetableEntry: Decodable {
    var entry: Timetable.Entry

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.timetableEntry)
        let days = try fields.text(
            "days", "days of the week such as \"mon-fri\" or \"sat,sun\"", Timetable.Weekday.days)
        let from = try fields.text("from", "a time of day from \"00:00\" to \"23:59\"") {
            Timetable.TimeOfDay($0).flatMap { $0 < .end ? $0 : nil }
        }
        let to = try fields.text("to", "a time of day from \"00:00\" to \"24:00\"") {
            Timetable.TimeOfDay($0)
        }
        entry = Timetable.Entry(
            days: days ?? Set(Timetable.Weekday.allCases), from: from ?? .start, to: to ?? .end,
            try Self.bandwidth(fields))
    }

    private static func bandwidth(_ fields: Fields) throws -> Bandwidth {
        if (try? fields.value("bandwidth", as: String.self)) == "off" { return .unlimited }
        let expected = "an amount of bytes such as 65536, \"500K\" or \"2M\", or \"off\" for no limit"
        guard let rate = try? fields.amount("bandwidth") else { throw fields.error("bandwidth", expected) }
        return .atMost(rate)
    }
}

extension Timetable.Weekday {
    private static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    /// The abbreviated name of the day in a timetable, such as `mon`.
    var name: String { Self.names[rawValue - 1] }

    /// Parses a list of days such as `mon-fri`, `sat,sun` or `fri-mon`; nil for an invalid list.
    fileprivate static func days(_ text: String) -> Set<Timetable.Weekday>? {
        var days: Set<Timetable.Weekday> = []
        for part in text.lowercased().filter({ $0 != " " }).split(
            separator: ",", omittingEmptySubsequences: false)
        {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { name in
                names.firstIndex(of: String(name))
            }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else {
                return nil
            }
            // A range may cross the end of the week: from Friday to Monday are four days.
            for day in first...(last < first ? last + 7 : last) {
                guard let weekday = Timetable.Weekday(rawValue: day % 7 + 1) else { return nil }
                days.insert(weekday)
            }
        }
        return days
    }
}

extension Timetable.TimeOfDay {
    /// The time in the form `08:00`.
    var text: String {
        [minutes / 60, minutes % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":")
    }

    /// Parses a time of day in the form `08:00`; nil for any other text.
    fileprivate init?(_ text: String) {
        guard let parts = text.wholeMatch(of: /([0-9]{2}):([0-9]{2})/)?.output,
            let hour = Int(parts.1), let minute = Int(parts.2)
        else { return nil }
        self.init(hour: hour, minute: minute)
    }
}
