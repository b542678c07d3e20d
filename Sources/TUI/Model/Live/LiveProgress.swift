import FerryUploads

/// The latest sample of a running upload, and the rates computed from all samples of its current attempt.
struct LiveProgress: Sendable {
    enum Movement: Hashable {
        case bytes(Double)
        /// The count starts again: with a new attempt, its first bytes, or fewer sent bytes.
        case start
        case none
    }

    private(set) var sample: ProgressSample
    private(set) var history = ThroughputHistory()
    private let attempt: Int
    private var counted = 0.0
    private var countedOver = 0.0
    private var at: Double

    /// The mean rate since the attempt's first byte; nil at first.
    var mean: Double? { countedOver >= RateEstimator.settling ? counted / countedOver : nil }

    init(_ sample: ProgressSample, attempt: Int, now: Double) {
        self.sample = sample
        self.attempt = attempt
        at = now
    }

    /// Applies a sample. A resumed upload's sent bytes jump to the offset before any is sent, so the first sample of an
    /// attempt counts none, and neither does the first one after sending has begun.
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
