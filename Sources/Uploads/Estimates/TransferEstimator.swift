package import FerryProtocols

/// Estimates the rates and the remaining times of the running uploads and of the whole queue, at times in seconds. The
/// screen and the engine compute their numbers in this way.
package struct TransferEstimator: Sendable {
    /// A running upload, with the values from which its remaining time is computed.
    package struct Running {
        package let id: Upload.ID
        package let left: ByteCount
        package let scopes: [LimitScope]

        /// - Parameter sent: The number of bytes sent so far, clamped to `size`.
        package init(id: Upload.ID, size: ByteCount, sent: ByteCount, scopes: [LimitScope]) {
            self.id = id
            left = max(0, size) - min(max(0, size), max(0, sent))
            self.scopes = scopes
        }
    }

    private var uploads: [Upload.ID: RateEstimator] = [:]
    private var total: RateEstimator?
    /// The time when the last upload stopped; nil while an upload runs, and before the first upload starts.
    private var idleSince: Double?
    /// The last time when an upload stopped while others ran. Since then, fewer uploads share a bandwidth limit.
    private var lastEnd = -Double.infinity

    package init() {}

    /// Begins to measure an upload when the first byte of its file is sent.
    package mutating func start(_ id: Upload.ID, at now: Double) {
        uploads[id] = RateEstimator(at: now)
        // The total measurement continues after a short gap between two uploads.
        if total == nil || idleSince.map({ now - $0 > RateEstimator.recent }) ?? false {
            total = RateEstimator(at: now)
        }
        idleSince = nil
    }

    package mutating func move(_ id: Upload.ID, by bytes: Double, at now: Double) {
        uploads[id]?.add(bytes, at: now)
        total?.add(bytes, at: now)
    }

    /// Adds the bytes of uploads that started and ended between two readings, which count only for the total rate.
    package mutating func moveUnseen(_ bytes: Double, at now: Double) {
        if total == nil { total = RateEstimator(at: now) }
        total?.add(bytes, at: now)
    }

    package mutating func end(_ id: Upload.ID, at now: Double) {
        guard uploads.removeValue(forKey: id) != nil else { return }
        if uploads.isEmpty { idleSince = now } else { lastEnd = now }
    }

    /// Returns an estimate for each running upload, and one for all due uploads (`Upload.isDue`) together.
    package func estimates(
        of running: [Running], left: RemainingBytes, limits: [LimitScope: ByteCount], at now: Double
    ) -> TransferEstimates {
        var estimates = TransferEstimates()
        estimates.uploads = self.estimates(of: running, limits: limits, at: now)
        if let shared = sharedLimit(of: running, limits: limits, at: now) {
            // An upload that ends leaves its part of the limit to the others, so none takes longer than all together.
            let end = left[shared.scope] / shared.rate
            estimates.uploads = estimates.uploads.mapValues { estimate in
                TransferEstimate(rate: estimate.rate, remaining: estimate.remaining.map { min($0, end) })
            }
        }
        estimates.total = total(
            left: left, limits: limits, longest: estimates.uploads.values.compactMap(\.remaining).max(),
            at: now)
        return estimates
    }

    /// Returns the estimates of the running uploads, each from its measured rate and the limits that apply to it.
    package func estimates(
        of running: [Running], limits: [LimitScope: ByteCount], at now: Double
    ) -> [Upload.ID: TransferEstimate] {
        var share: Double?
        // After an upload stopped, the other uploads can reach higher rates than those measured.
        if now - lastEnd < 2 * RateEstimator.recent {
            share = sharedLimit(of: running, limits: limits, at: now).map {
                $0.rate / Double(max(1, running.count))
            }
        }
        return Dictionary(
            running.map { ($0.id, estimate(of: $0, limits: limits, share: share, at: now)) }
        ) { $1 }
    }

    /// Returns the estimate of one running upload. `share` is the lowest rate for the remaining time: the limit that
    /// all running uploads share, divided by their number.
    private func estimate(
        of upload: Running, limits: [LimitScope: ByteCount], share: Double?, at now: Double
    ) -> TransferEstimate {
        guard let estimator = uploads[upload.id] else { return TransferEstimate() }
        return TransferEstimate(
            rate: estimator.rate(at: now),
            remaining: Self.remaining(
                Double(upload.left), rate: estimator.steadyRate(at: now).map { max($0, share ?? 0) },
                limit: upload.scopes.compactMap { limits[$0] }.min()))
    }

    /// Returns the lowest bandwidth limit that applies to all running uploads, with its scope. Returns nil if the total
    /// rate is unknown or below 90 % of the limit, which is then not what makes the uploads slow.
    private func sharedLimit(
        of running: [Running], limits: [LimitScope: ByteCount], at now: Double
    ) -> (scope: LimitScope, rate: Double)? {
        guard let measured = total?.steadyRate(at: now),
            let lowest = limits.filter({ scope, _ in running.allSatisfy { $0.scopes.contains(scope) } })
                .min(by: { $0.value < $1.value }),
            measured >= 0.9 * Double(lowest.value)
        else { return nil }
        return (lowest.key, Double(lowest.value))
    }

    /// Returns the estimate of all due uploads. `longest` is the longest known remaining time of a running one.
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

    /// Returns the number of seconds in which `left` bytes are sent, at the lower one of `rate` and `limit`.
    private static func remaining(_ left: Double, rate: Double?, limit: ByteCount?) -> Double? {
        guard let rate, rate >= 1 else { return nil }
        return max(0, left) / min(rate, limit.map(Double.init) ?? rate)
    }
}

extension [BandwidthLimit] {
    /// The limits in bytes per second, by scope. Of several limits of a scope, the lowest counts.
    package var rates: [LimitScope: ByteCount] {
        Dictionary(compactMap { limit in limit.bandwidth.rate.map { (limit.scope, $0) } }) {
            Swift.min($0, $1)
        }
    }
}
