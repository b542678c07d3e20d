import FerryProtocols

/// The bandwidth limits that apply now, and the next time when a timetable changes one.
package struct LimitSchedule {
    /// The longest time in seconds between two reads of the wall clock, because nothing reports that it was set.
    private static let longestLook = 60.0

    private let zone: ZoneRules
    /// The limits that apply now, also of unlimited scopes that a timetable limits later or that a command changed.
    private(set) var current: [BandwidthLimit] = []
    private var date = Date.distantPast
    private var due: Date?

    package init(zone: ZoneRules) { self.zone = zone }

    /// Returns the limit of a scope at a date: the limit `order` that a command set, or else that of the timetable.
    func limit(
        of scope: LimitScope, _ timetable: Timetable?, order: Bandwidth?, at date: Date
    ) -> BandwidthLimit {
        if let order { return BandwidthLimit(scope, order, origin: .command) }
        let timetable = timetable ?? Timetable()
        let (bandwidth, entry) = timetable.bandwidth(at: date, in: zone)
        return BandwidthLimit(
            scope, bandwidth, origin: entry == nil ? .configuration : .timetable,
            until: timetable.nextChange(after: date, in: zone))
    }

    /// Calculates all limits anew, and returns whether one changed. `orders` are the limits that commands set.
    mutating func update(
        _ timetables: [LimitScope: Timetable], orders: [LimitScope: Bandwidth], at date: Date
    ) -> Bool {
        let before = current
        current = Set(timetables.keys).union(orders.keys).sorted().compactMap { scope in
            let limit = limit(of: scope, timetables[scope], order: orders[scope], at: date)
            return limit == BandwidthLimit(scope, .unlimited) ? nil : limit
        }
        self.date = date
        due = current.compactMap(\.until).min()
        return current != before
    }

    /// True if the next change by a timetable has come, or the wall clock was set back.
    func isOver(at now: Date) -> Bool { due.map { now >= $0 || now < date } ?? false }

    /// Returns when to read the wall clock again; nil if no timetable changes a limit.
    func nextLook(after now: Moment) -> ContinuousClock.Instant? {
        due.map { due in
            let left = max(0.001, min(due.timeIntervalSince(now.date), Self.longestLook))
            return now.instant.advanced(by: .seconds(left))
        }
    }
}
