import FerryFiles
import FerryProtocols

/// The limits of bandwidth that hold, and when a timetable changes them.
package struct LimitSchedule {
    /// The longest time between two looks at the wall clock. The system reports to nobody that the clock was set, so
    /// the queue looks while a timetable waits for a moment.
    private static let longestLook = 60.0

    private let zone: ZoneRules
    /// The current limits, as far as there are any to tell.
    private(set) var current: [BandwidthLimit] = []
    private var date = Date.distantPast
    /// The time when a timetable says otherwise.
    private var due: Date?

    package init(zone: ZoneRules) { self.zone = zone }

    /// The bytes per second of each scope that has a limit.
    var rates: [LimitScope: ByteCount] {
        Dictionary(
            uniqueKeysWithValues: current.compactMap { limit in
                limit.bandwidth.rate.map { (limit.scope, $0) }
            })
    }

    /// The limit of a scope at `date`.
    ///
    /// - Parameter order: What a user set; nil for what the timetable says.
    func limit(
        of scope: LimitScope, _ timetable: Timetable?, order: Bandwidth?, at date: Date
    ) -> BandwidthLimit {
        (timetable ?? Timetable()).limit(of: scope, order: order, at: date, in: zone)
    }

    /// Finds out what holds at `date`.
    ///
    /// - Returns: True if something else holds than before.
    mutating func update(
        _ timetables: [LimitScope: Timetable], orders: [LimitScope: Bandwidth], at date: Date
    ) -> Bool {
        let before = current
        current = Set(timetables.keys).union(orders.keys).sorted().compactMap { scope in
            let limit = limit(of: scope, timetables[scope], order: orders[scope], at: date)
            return limit == .none(of: scope) ? nil : limit
        }
        self.date = date
        due = current.compactMap(\.until).min()
        return current != before
    }

    /// True if the next moment of a timetable has come, or the clock was set back.
    func isOver(at now: Date) -> Bool { due.map { now >= $0 || now < date } ?? false }

    /// Returns when to read the wall clock again; nil if no timetable waits for anything.
    func nextLook(after now: Moment) -> ContinuousClock.Instant? {
        due.map { due in
            let left = max(0.001, min(due.timeIntervalSince(now.date), Self.longestLook))
            return now.instant.advanced(by: .seconds(left))
        }
    }
}
