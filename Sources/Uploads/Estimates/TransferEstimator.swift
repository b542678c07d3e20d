package import FerryProtocols

/// Estimates the rates and the remaining times of the running uploads and of the whole queue. Pure: the caller passes the
/// time in seconds.
///
/// The screen and the engine each feed one with the bytes that go out, so header, row, details, `list`, `status` and
/// `--json` say the same.
package struct TransferEstimator: Sendable {
    /// An upload that runs, as far as its remaining time depends on it.
    package struct Running {
        package let id: Upload.ID
        /// Bytes that are not sent yet.
        package let left: ByteCount
        /// The scopes whose limits apply to it.
        package let scopes: [LimitScope]

        /// - Parameters:
        ///   - size: Bytes of the file.
        ///   - sent: How far it is; whatever an engine tells is taken as between 0 and the size.
        package init(id: Upload.ID, size: ByteCount, sent: ByteCount, scopes: [LimitScope]) {
            self.id = id
            left = max(0, size) - min(max(0, size), max(0, sent))
            self.scopes = scopes
        }
    }

    private var uploads: [Upload.ID: RateEstimator] = [:]
    private var total: RateEstimator?
    /// The time when the last upload stopped, as long as none runs.
    private var idleSince: Double?

    package init() {}

    /// Begins to measure an upload anew: bytes of its file go out from now on.
    package mutating func start(_ id: Upload.ID, at now: Double) {
        uploads[id] = RateEstimator(at: now)
        // One upload after the other is no pause.
        if total == nil || idleSince.map({ now - $0 > RateEstimator.recent }) ?? false {
            total = RateEstimator(at: now)
        }
        idleSince = nil
    }

    /// Adds bytes that went out.
    package mutating func move(_ id: Upload.ID, by bytes: Double, at now: Double) {
        uploads[id]?.add(bytes, at: now)
        total?.add(bytes, at: now)
    }

    /// Adds bytes of uploads that came and went between two looks.
    package mutating func moveUnseen(_ bytes: Double, at now: Double) {
        if total == nil { total = RateEstimator(at: now) }
        total?.add(bytes, at: now)
    }

    /// Stops to measure an upload.
    package mutating func end(_ id: Upload.ID, at now: Double) {
        guard uploads.removeValue(forKey: id) != nil, uploads.isEmpty else { return }
        idleSince = now
    }

    /// The estimates at a moment.
    ///
    /// - Parameters:
    ///   - left: What all uploads that are due have not sent yet.
    ///   - limit: Bytes per second of a scope; nil without a limit.
    package func estimates(
        of running: some Sequence<Running>, left: RemainingBytes, limits: [LimitScope: ByteCount],
        at now: Double
    ) -> TransferEstimates {
        var estimates = TransferEstimates()
        for upload in running {
            estimates.uploads[upload.id] = estimate(of: upload, limits: limits, at: now)
        }
        estimates.total = total(
            left: left, limits: limits, longest: estimates.uploads.values.compactMap(\.remaining).max(),
            at: now)
        return estimates
    }

    /// The estimate of one upload, by its own rate and the limits that apply to it.
    package func estimate(
        of upload: Running, limits: [LimitScope: ByteCount], at now: Double
    ) -> TransferEstimate {
        guard let estimator = uploads[upload.id] else { return TransferEstimate() }
        return TransferEstimate(
            rate: estimator.rate(at: now),
            remaining: Self.remaining(
                Double(upload.left), rate: estimator.steadyRate(at: now),
                limit: upload.scopes.compactMap { limits[$0] }.min()))
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

    /// Seconds, by the rate or by a limit that is lower; nil below a byte per second.
    private static func remaining(_ left: Double, rate: Double?, limit: ByteCount?) -> Double? {
        guard let rate, rate >= 1 else { return nil }
        return max(0, left) / min(rate, limit.map(Double.init) ?? rate)
    }
}

extension [BandwidthLimit] {
    /// Bytes per second by scope, as far as there is a limit.
    package var rates: [LimitScope: ByteCount] {
        Dictionary(compactMap { limit in limit.bandwidth.rate.map { (limit.scope, $0) } }) {
            Swift.min($0, $1)
        }
    }
}
