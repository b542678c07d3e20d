package import FerryProtocols

/// Estimates the rates and the remaining times of the running uploads and of the whole queue. Pure: the caller passes
/// the time in seconds.
///
/// The screen and the engine each pass the sent bytes to one, so header, row, details, `list`, `status` and `--json`
/// show the same numbers.
package struct TransferEstimator: Sendable {
    /// A running upload, with what its remaining time depends on.
    package struct Running {
        package let id: Upload.ID
        /// The number of bytes that are not sent yet.
        package let left: ByteCount
        /// The scopes whose limits apply to the upload.
        package let scopes: [LimitScope]

        /// - Parameters:
        ///   - size: The number of bytes of the file.
        ///   - sent: The number of bytes sent so far, clamped to 0 to `size`.
        package init(id: Upload.ID, size: ByteCount, sent: ByteCount, scopes: [LimitScope]) {
            self.id = id
            left = max(0, size) - min(max(0, size), max(0, sent))
            self.scopes = scopes
        }
    }

    private var uploads: [Upload.ID: RateEstimator] = [:]
    private var total: RateEstimator?
    /// The time when the last upload stopped; nil while one runs.
    private var idleSince: Double?
    /// The time when an upload last stopped while others ran: a limit that they shared is theirs from then on.
    private var lastEnd = -Double.infinity

    package init() {}

    /// Begins a new measurement of an upload: bytes of its file are sent from now on.
    package mutating func start(_ id: Upload.ID, at now: Double) {
        uploads[id] = RateEstimator(at: now)
        // A short gap between two uploads is no pause.
        if total == nil || idleSince.map({ now - $0 > RateEstimator.recent }) ?? false {
            total = RateEstimator(at: now)
        }
        idleSince = nil
    }

    /// Adds bytes that were sent.
    package mutating func move(_ id: Upload.ID, by bytes: Double, at now: Double) {
        uploads[id]?.add(bytes, at: now)
        total?.add(bytes, at: now)
    }

    /// Adds bytes of uploads that started and ended between two samples.
    package mutating func moveUnseen(_ bytes: Double, at now: Double) {
        if total == nil { total = RateEstimator(at: now) }
        total?.add(bytes, at: now)
    }

    /// Stops measuring an upload.
    package mutating func end(_ id: Upload.ID, at now: Double) {
        guard uploads.removeValue(forKey: id) != nil else { return }
        if uploads.isEmpty { idleSince = now } else { lastEnd = now }
    }

    /// The estimates at a moment.
    ///
    /// - Parameters:
    ///   - left: The bytes that all due uploads have not sent yet.
    ///   - limits: The limits in bytes per second, by scope.
    package func estimates(
        of running: some Sequence<Running>, left: RemainingBytes, limits: [LimitScope: ByteCount],
        at now: Double
    ) -> TransferEstimates {
        let running = Array(running)
        let queued = max(0, left[.total] - running.reduce(0) { $0 + Double($1.left) })
        var estimates = TransferEstimates()
        estimates.uploads = uploads(running, queued: queued, limits: limits, at: now)
        estimates.total = total(
            left: left, limits: limits, longest: estimates.uploads.values.compactMap(\.remaining).max(),
            at: now)
        return estimates
    }

    /// The estimates of the running uploads, for a caller that does not know which others wait.
    package func estimates(
        of running: some Sequence<Running>, limits: [LimitScope: ByteCount], at now: Double
    ) -> [Upload.ID: TransferEstimate] {
        uploads(Array(running), queued: .infinity, limits: limits, at: now)
    }

    /// - Parameter queued: The number of bytes of uploads that start when one of `running` ends.
    private func uploads(
        _ running: [Running], queued: Double, limits: [LimitScope: ByteCount], at now: Double
    ) -> [Upload.ID: TransferEstimate] {
        let binding = bindingLimit(of: running, limits: limits, at: now)
        var estimates: [Upload.ID: TransferEstimate] = [:]
        for upload in running {
            guard let estimator = uploads[upload.id] else {
                estimates[upload.id] = TransferEstimate()
                continue
            }
            let steady = estimator.steadyRate(at: now)
            var remaining = Self.remaining(
                Double(upload.left), rate: steady, limit: upload.scopes.compactMap { limits[$0] }.min())
            if let binding, remaining != nil,
                now - lastEnd < 2 * RateEstimator.recent
                    || steady ?? 0 >= 0.7 * binding / Double(running.count)
            {
                remaining = Self.shared(upload, among: running, queued: queued) / binding
            }
            estimates[upload.id] = TransferEstimate(rate: estimator.rate(at: now), remaining: remaining)
        }
        return estimates
    }

    /// Returns the lowest limit that applies to all running uploads, if they use all of it; nil if there is none.
    private func bindingLimit(
        of running: [Running], limits: [LimitScope: ByteCount], at now: Double
    ) -> Double? {
        let common = limits.filter { scope, _ in running.allSatisfy { $0.scopes.contains(scope) } }
        guard let limit = common.values.min().map(Double.init), let rate = total?.steadyRate(at: now),
            rate >= 0.9 * limit
        else { return nil }
        return limit
    }

    /// Returns the number of bytes that pass a shared limit until an upload is done: its own, and as many of each other
    /// upload, or of one that starts in its place, as it has.
    private static func shared(_ upload: Running, among running: [Running], queued: Double) -> Double {
        let own = Double(upload.left)
        let others = running.reduce(0) { $1.id == upload.id ? $0 : $0 + min(Double($1.left), own) }
        return own + min(own * Double(running.count - 1), others + queued)
    }

    /// - Parameter longest: The longest remaining time of one upload.
    private func total(
        left: RemainingBytes, limits: [LimitScope: ByteCount], longest: Double?, at now: Double
    ) -> TransferEstimate {
        guard let total else { return TransferEstimate() }
        let byRate = Self.remaining(
            left[.total], rate: total.steadyRate(at: now), limit: limits[.total])
        let byLimits = limits.filter { $0.key != .total }.map { scope, rate in left[scope] / Double(rate) }
        let remaining = byRate.map { ([$0, longest ?? 0] + byLimits).max() ?? $0 }
        return TransferEstimate(rate: total.rate(at: now), remaining: remaining)
    }

    /// The remaining time in seconds, by the rate or by a lower limit; nil below a byte per second.
    private static func remaining(_ left: Double, rate: Double?, limit: ByteCount?) -> Double? {
        guard let rate, rate >= 1 else { return nil }
        return max(0, left) / min(rate, limit.map(Double.init) ?? rate)
    }
}

extension [BandwidthLimit] {
    /// The limited rates in bytes per second, by scope.
    package var rates: [LimitScope: ByteCount] {
        Dictionary(compactMap { limit in limit.bandwidth.rate.map { (limit.scope, $0) } }) {
            Swift.min($0, $1)
        }
    }
}
