import FerryProtocols
import Foundation

extension UploadQueue {
    /// Nobody tells that the wall clock was set: while a timetable waits for a moment, it is looked at so often.
    private static let longestLook = 60.0

    /// What holds at `date`, as far as there is something to say.
    private func limits(at date: Date) -> [BandwidthLimit] {
        let scopes = Set(configuration.limits.keys).union(settings.limits.keys)
        return scopes.sorted().compactMap { scope in
            let limit = limit(of: scope, order: settings.limits[scope], at: date)
            return limit == .none(of: scope) ? nil : limit
        }
    }

    /// What holds for a scope at `date`, if a person ordered this; nil for what the configuration says.
    func limit(of scope: LimitScope, order: Bandwidth?, at date: Date) -> BandwidthLimit {
        (configuration.limits[scope] ?? Timetable()).limit(
            of: scope, order: order, at: date, in: clock.calendar)
    }

    /// Lets what holds now take effect, tells it, and comes back when a timetable says otherwise.
    func applyLimits() {
        let (date, before) = (clock.date(), limits)
        limits = limits(at: date)
        limitsLook = LimitsLook(at: date, due: limits.compactMap(\.until).min())
        rateLimit.set(
            Dictionary(
                uniqueKeysWithValues: limits.compactMap { limit in
                    limit.bandwidth.rate.map { (limit.scope, $0) }
                }))
        if limits != before { publish([]) }
        setLimitTimer()
    }

    /// The wall clock may have been set since.
    func reviewLimits() {
        if limitsLook.isOver(at: clock.date()) { applyLimits() }
    }

    private func setLimitTimer() {
        limitTimer?.cancel()
        limitTimer = nil
        guard phase == .accepting || phase == .finishing, let due = limitsLook.due else { return }
        let left = max(0.001, min(due.timeIntervalSince(clock.date()), Self.longestLook))
        let instant = clock.now().advanced(by: .seconds(left))
        limitTimer = Task(executorPreference: surroundings.executor) { [weak self, clock] in
            guard (try? await clock.sleep(instant)) != nil else { return }
            await self?.lookAgain()
        }
    }

    private func lookAgain() {
        if limitsLook.isOver(at: clock.date()) { applyLimits() } else { setLimitTimer() }
    }

    /// - Parameter bandwidth: Nil for what the configuration says.
    /// - Returns: What brings the limit of before back.
    func limitBandwidth(
        _ bandwidth: Bandwidth?, of scope: LimitScope
    ) async throws(UploadFailure) -> Reversal {
        if case .batch(let name) = scope, bandwidth != nil { try checkBatch(name) }
        let before = settings.limits[scope]
        try await saveSettings { $0.limits[scope] = bandwidth }
        applyLimits()
        return .limitBandwidth(before, scope)
    }
}

extension UploadQueue {
    /// A mistyped name would limit nothing, and say so to nobody.
    private func checkBatch(_ name: String) throws(UploadFailure) {
        guard !uploads.values.contains(where: { $0.batch == name }), !settings.pausedBatches.contains(name)
        else { return }
        throw .unknownBatch(name, known: settings.pausedBatches.union(uploads.values.compactMap(\.batch)))
    }
}

/// When the limits were looked at by the wall clock, and until when that holds.
struct LimitsLook {
    var date = Date.distantPast
    var due: Date?

    init() {}

    init(at date: Date, due: Date?) {
        self.date = date
        self.due = due
    }

    /// True if the next moment of a timetable has come, or the clock was set back.
    func isOver(at now: Date) -> Bool { due.map { now >= $0 || now < date } ?? false }
}
