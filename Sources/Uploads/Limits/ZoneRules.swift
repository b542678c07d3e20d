public import FerryFiles

/// A time zone: the offset of its clocks at each moment.
public struct ZoneRules: Sendable {
    /// The zone of this process.
    public static let local = ZoneRules { SystemZone.offset(at: $0) }
    /// Greenwich Mean Time.
    public static let gmt = ZoneRules(offset: 0)

    /// The seconds by which the clocks are ahead of GMT at a moment.
    public let offset: @Sendable (Date) -> Int

    /// - Parameter offset: Returns the seconds by which the clocks are ahead of GMT at a moment:
    ///   `TimeZone.secondsFromGMT(for:)`.
    public init(_ offset: @escaping @Sendable (Date) -> Int) { self.offset = offset }

    /// A zone whose clocks are never changed.
    public init(offset: Int) { self.offset = { _ in offset } }

    /// The day that the calendar shows at a moment.
    package func day(at date: Date) -> CivilDay {
        CivilDay(number: Int((shown(at: date) / Self.daySeconds).rounded(.down)))
    }

    /// The seconds since midnight that the clock shows at a moment.
    package func timeOfDay(at date: Date) -> Int {
        let shown = shown(at: date)
        return Int(shown - (shown / Self.daySeconds).rounded(.down) * Self.daySeconds)
    }

    /// The first moment at which the clocks show the time, or a later one where they skip it.
    ///
    /// - Parameter seconds: The seconds since midnight.
    package func moment(_ day: CivilDay, seconds: Int = 0) -> Date {
        let wanted = Double(day.number) * Self.daySeconds + Double(seconds)
        // Zones are less than a day from GMT, and their clocks are not changed twice within three days.
        let early = Date(timeIntervalSince1970: wanted - 1.5 * Self.daySeconds)
        let late = Date(timeIntervalSince1970: wanted + 1.5 * Self.daySeconds)
        let (before, after) = (offset(early), offset(late))
        let sooner = Date(timeIntervalSince1970: wanted - Double(before))
        guard before != after, offset(sooner) != before else { return sooner }
        let later = Date(timeIntervalSince1970: wanted - Double(after))
        // The clocks skip the time if the change is after the moment at which they would show it.
        return offset(later) == after ? later : change(from: early, to: late)
    }

    /// The moment of the only change of the offset between two moments, to the second.
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
        // Beyond that no calendar is defined, and no number of days is exact.
        let seconds = min(max(date.timeIntervalSince1970, -1e13), 1e13)
        return seconds.rounded(.down) + Double(offset(date))
    }
}
