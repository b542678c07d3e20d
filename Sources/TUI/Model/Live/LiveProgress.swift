import FerryUploads

/// The latest sample of a running upload, and the rates computed from all samples of its current attempt.
struct LiveProgress: Sendable {
    /// The number of bytes sent between two samples, or the reason why there is no such number.
    enum Movement: Hashable {
        case bytes(Double)
        /// The count starts again: a new attempt began, its first bytes were sent, or the number of sent bytes fell.
        case start
        case none
    }

    private(set) var sample: ProgressSample
    private(set) var history = ThroughputHistory()
    private let attempt: Int
    private var counted = 0.0
    private var countedOver = 0.0
    private var at: Double

    /// The mean rate since the attempt's first byte, in bytes per second; nil until bytes were counted over
    /// `RateEstimator.settling` seconds.
    var mean: Double? { countedOver >= RateEstimator.settling ? counted / countedOver : nil }

    init(_ sample: ProgressSample, attempt: Int, now: Double) {
        self.sample = sample
        self.attempt = attempt
        at = now
    }

    /// Applies a sample.
    ///
    /// In a resumed upload, the number of sent bytes jumps to the offset before any byte is sent. So the first sample
    /// of an attempt counts no bytes, and neither does the first sample after sending has begun.
    mutating func take(_ next: ProgressSample, attempt: Int, now: Double) -> Movement {
        guard attempt == self.attempt else {
            self = LiveProgress(next, attempt: attempt, now: now)
            return .start
        }
        let seconds = now - at
        guard seconds > 0 else { return .none }
        let last = sample
        sample = next
        at = now
        guard next.phase.hasBegun else { return .none }
        guard last.phase.hasBegun, next.sent >= last.sent else { return .start }
        let bytes = Double(next.sent) - Double(last.sent)
        history.add(bytes: bytes, over: seconds, now: now)
        counted += bytes
        countedOver += seconds
        return .bytes(bytes)
    }
}
