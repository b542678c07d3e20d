/// A time zone: the offset of its clocks at each moment.
public struct ZoneRules: Sendable {
    /// The time zone of this process.
    public static let local = ZoneRules { SystemZone.offset(at: $0) }
    /// Greenwich Mean Time.
    public static let gmt = ZoneRules(offset: 0)

    /// Returns the number of seconds by which this zone's clocks are ahead of GMT at the date.
    public let offset: @Sendable (Date) -> Int

    /// - Parameter offset: The property `offset`, like `TimeZone.secondsFromGMT(for:)`.
    public init(_ offset: @escaping @Sendable (Date) -> Int) { self.offset = offset }

    /// Creates a zone whose clocks are always `offset` seconds ahead of GMT.
    public init(offset: Int) { self.offset = { _ in offset } }

    package func day(at date: Date) -> CivilDay {
        CivilDay(number: Int((shown(at: date) / Self.daySeconds).rounded(.down)))
    }

    /// Returns the time of day in this time zone at the moment `date`, in seconds since midnight.
    package func timeOfDay(at date: Date) -> Int {
        let shown = shown(at: date)
        return Int(shown - (shown / Self.daySeconds).rounded(.down) * Self.daySeconds)
    }

    /// Returns the moment at which the clocks of this zone show a time of day: the first one if they show it twice, or
    /// the moment of the change if they skip it. The `seconds` count from midnight.
    package func moment(_ day: CivilDay, seconds: Int = 0) -> Date {
        let wanted = Double(day.number) * Self.daySeconds + Double(seconds)
        // Zones are less than a day from GMT, and their clocks are not changed twice within three days.
        let early = Date(timeIntervalSince1970: wanted - 1.5 * Self.daySeconds)
        let late = Date(timeIntervalSince1970: wanted + 1.5 * Self.daySeconds)
        let (before, after) = (offset(early), offset(late))
        let sooner = Date(timeIntervalSince1970: wanted - Double(before))
        guard before != after, offset(sooner) != before else { return sooner }
        let later = Date(timeIntervalSince1970: wanted - Double(after))
        // If the new offset does not apply yet at `later`, the clocks skip the time.
        return offset(later) == after ? later : change(from: early, to: late)
    }

    /// Returns the first whole second of the new offset. It must change exactly once between `early` and `late`.
    private func change(from early: Date, to late: Date) -> Date {
        var (low, high) = (
            early.timeIntervalSince1970.rounded(.down), late.timeIntervalSince1970.rounded(.up)
        )
        let before = offset(Date(timeIntervalSince1970: low))
        while high - low > 1 {
            let middle = ((low + high) / 2).rounded(.down)
            if offset(Date(timeIntervalSince1970: middle)) == before { low = middle } else { high = middle }
        }
        return Date(timeIntervalSince1970: high)
    }

    private static let daySeconds = 86_400.0

    private func shown(at date: Date) -> Double {
        // Beyond these limits no calendar is defined, and the number of days is not exact.
        let since = date.timeIntervalSince1970
        let seconds = since.isNaN ? 0 : min(max(since, -1e13), 1e13)
        return seconds.rounded(.down) + Double(offset(date))
    }
}
