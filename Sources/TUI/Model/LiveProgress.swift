import FerryProtocols
import FerryUploads

/// One running upload as sampled, and what follows from the samples.
struct LiveProgress: Sendable {
    /// The movement between two samples.
    enum Movement: Hashable {
        /// Bytes went out.
        case bytes(Double)
        /// Counting starts here: the attempt is a new one, or it resumed at an offset.
        case start
        case none
    }

    private(set) var sample: ProgressSample
    private(set) var history = ThroughputHistory()
    /// The attempt the samples belong to.
    private let attempt: Int
    private var counted = 0.0
    private var countedOver = 0.0
    private var at: Double

    /// Bytes per second since the attempt's first byte; nil before there is anything to tell.
    var mean: Double? { countedOver >= RateEstimator.settling ? counted / countedOver : nil }

    init(_ sample: ProgressSample, attempt: Int, now: Double) {
        self.sample = sample
        self.attempt = attempt
        at = now
    }

    /// Takes in a sample.
    ///
    /// The jump to the offset where a resumed upload goes on is not speed, so the first sample of an attempt and the
    /// first after `connecting` only set the mark to count from.
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
