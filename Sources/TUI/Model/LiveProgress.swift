import FerryProtocols
import FerryUploads

/// One running upload as sampled, and what follows from the samples.
struct LiveProgress: Sendable {
    private(set) var sample: ProgressSample
    private(set) var throughput = Throughput()
    private(set) var history = ThroughputHistory()
    /// The attempt the samples belong to.
    private let attempt: Int
    private var counted = 0.0
    private var countedOver = 0.0
    private var at: Double

    /// Bytes per second since the attempt's first byte; nil before there is anything to tell.
    var mean: Double? { countedOver >= Throughput.settling ? counted / countedOver : nil }

    init(_ sample: ProgressSample, attempt: Int, now: Double) {
        self.sample = sample
        self.attempt = attempt
        at = now
    }

    /// Takes in a sample and returns the bytes that went out since the last one.
    ///
    /// The jump to the offset where a resumed upload goes on is not speed, so the first sample of an attempt and the
    /// first after `connecting` only set the mark to count from.
    mutating func take(_ next: ProgressSample, attempt: Int, size: ByteCount, now: Double) -> Double {
        guard attempt == self.attempt else {
            self = LiveProgress(next, attempt: attempt, now: now)
            return 0
        }
        let seconds = now - at
        guard seconds > 0 else { return 0 }
        let isCounted =
            sample.phase.hasBegun && next.phase.hasBegun && next.sent >= sample.sent
        let bytes = isCounted ? Double(next.sent) - Double(sample.sent) : 0
        if isCounted {
            throughput.add(
                bytes: bytes, over: seconds, left: max(0, Double(size) - Double(next.sent)), now: now)
            history.add(bytes: bytes, over: seconds, now: now)
            counted += bytes
            countedOver += seconds
        }
        sample = next
        at = now
        return bytes
    }
}
