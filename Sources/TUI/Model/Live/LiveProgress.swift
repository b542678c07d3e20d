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

/// The rates and remaining times on the screen. They change slowly enough to be read.
struct ShownEstimates: Hashable, Sendable {
    /// The minimum number of seconds between two changes on the screen.
    static let rateInterval = 0.5
    static let remainingInterval = 1.0

    private(set) var total = TransferEstimate()
    private var uploads: [Upload.ID: TransferEstimate] = [:]
    private var rateShownAt = -Double.infinity
    private var remainingShownAt = -Double.infinity

    subscript(id: Upload.ID) -> TransferEstimate { uploads[id] ?? TransferEstimate() }

    /// Shows new values. All remaining times change together, so that the total is never below one of them.
    mutating func show(_ new: TransferEstimates, now: Double) {
        let rates = now - rateShownAt >= Self.rateInterval - 0.01
        let times = now - remainingShownAt >= Self.remainingInterval - 0.01
        if rates { rateShownAt = now }
        if times { remainingShownAt = now }
        guard rates || times else { return }
        uploads = new.uploads.reduce(into: [:]) { shown, upload in
            shown[upload.key] = self[upload.key].taking(rates, times, of: upload.value)
        }
        total = total.taking(rates, times, of: new.total)
    }

    mutating func forget(_ id: Upload.ID) { uploads[id] = nil }

    /// Makes the remaining times change at once, because a bandwidth limit has changed.
    mutating func hurry() { remainingShownAt = -.infinity }
}

extension TransferEstimate {
    fileprivate func taking(_ takesRate: Bool, _ takesTime: Bool, of new: Self) -> Self {
        Self(rate: takesRate ? new.rate : rate, remaining: takesTime ? new.remaining : remaining)
    }
}
