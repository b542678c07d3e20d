import FerryProtocols
import Synchronization

/// The progress of the running uploads, which network threads write and clients read without waiting for the queue's
/// actor.
final class ProgressStore: Sendable {
    private struct Entry {
        var sample: ProgressSample
        let size: ByteCount
        let scopes: [LimitScope]
        /// True if the last request carries the whole file, and the server probably discards an incomplete request.
        var carriesAll = false
        /// True once the attempt has ended. Clients see the upload as running until the result is on disk.
        var hasEnded = false
        /// The time of the last report of the sent bytes to the queue. Before the first report, it is the time at which the
        /// first request with bytes of the file began.
        var noted: ContinuousClock.Instant?
        /// The last time when a request with bytes of the file began, when bytes were sent, or when reading ended.
        var moved: ContinuousClock.Instant?
    }

    private struct State {
        var entries: [Upload.ID: Entry] = [:]
        var estimator = TransferEstimator()

        var running: [TransferEstimator.Running] {
            entries.values.filter { !$0.hasEnded }.map { entry in
                .init(id: entry.sample.id, size: entry.size, sent: entry.sample.sent, scopes: entry.scopes)
            }
        }

        /// Changes an entry, and adds the newly sent bytes to the estimate of the rate.
        mutating func change(
            _ id: Upload.ID, at now: @autoclosure () -> Double, _ body: (inout Entry) -> Void
        ) {
            guard let before = entries[id]?.sample, var entry = entries[id] else { return }
            body(&entry)
            entries[id] = entry
            let sample = entry.sample
            guard sample.phase.hasBegun else { return }
            // The bytes before the offset at which an upload resumes do not count.
            if !before.phase.hasBegun {
                estimator.start(id, at: now())
            } else if sample.sent > before.sent {
                estimator.move(id, by: Double(sample.sent) - Double(before.sent), at: now())
            }
        }
    }

    /// The minimum time between two reports of the number of sent bytes to the queue. After a crash, the queue counts
    /// by the last report which bytes are sent a second time.
    private static let noteInterval = Duration.seconds(1)

    private let state = Mutex(State())
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let origin: ContinuousClock.Instant

    init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.clock = clock
        origin = clock()
    }

    private var now: Double { seconds(clock()) }

    private func seconds(_ instant: ContinuousClock.Instant) -> Double {
        origin.duration(to: instant) / .seconds(1)
    }

    func begin(_ upload: Upload, confirmed: ByteCount) {
        let sample = ProgressSample(id: upload.id, sent: confirmed, confirmed: confirmed, phase: .connecting)
        state.withLock {
            $0.entries[upload.id] = Entry(sample: sample, size: upload.size, scopes: upload.limitScopes)
        }
    }

    func update(_ id: Upload.ID, _ change: (inout ProgressSample) -> Void) {
        state.withLock { $0.change(id, at: now) { entry in change(&entry.sample) } }
    }

    /// Notes that a request without bytes of the file begins, so that the attempt no longer reads the file.
    func startWithoutFile(_ id: Upload.ID, at instant: ContinuousClock.Instant) {
        state.withLock { state in
            guard state.entries[id]?.sample.phase == .reading else { return }
            state.entries[id]?.sample.phase = .connecting
            state.entries[id]?.moved = instant
        }
    }

    /// Notes that a request with bytes of the file begins. The first report to the queue is due `noteInterval` later.
    func start(_ id: Upload.ID, carriesAll: Bool, at instant: ContinuousClock.Instant) {
        state.withLock { state in
            state.entries[id]?.carriesAll = carriesAll
            if state.entries[id]?.noted == nil { state.entries[id]?.noted = instant }
        }
    }

    /// Notes that `bytes` bytes were sent, and that `reached` bytes of the file are now sent or confirmed. Returns true
    /// if the caller must report `reached` to the queue now, as the server cannot be asked after a crash.
    func sent(_ id: Upload.ID, bytes: ByteCount, reached: ByteCount, at instant: ContinuousClock.Instant)
        -> Bool
    {
        state.withLock { state in
            var isDue = false
            state.change(id, at: seconds(instant)) { entry in
                entry.sample.sent = reached
                entry.sample.phase = .sending
                entry.moved = instant
                guard bytes > 0, entry.carriesAll else { return }
                isDue = entry.noted.map { instant - $0 >= Self.noteInterval } ?? true
                if isDue { entry.noted = instant }
            }
            return isDue
        }
    }

    /// Marks an attempt as ended, and returns its last sample, which stays in the store until `remove`.
    func end(_ id: Upload.ID) -> ProgressSample? {
        state.withLock { state in
            state.estimator.end(id, at: now)
            state.entries[id]?.hasEnded = true
            return state.entries[id]?.sample
        }
    }

    func remove(_ id: Upload.ID) {
        state.withLock { state in
            if state.entries[id]?.hasEnded == true { state.entries[id] = nil }
        }
    }

    func sample(of id: Upload.ID) -> ProgressSample? { state.withLock { $0.entries[id]?.sample } }

    func progress(of id: Upload.ID) -> RunProgress? {
        state.withLock { state in
            state.entries[id].map { entry in
                RunProgress(
                    isReading: entry.sample.phase == .reading, moved: entry.moved,
                    carriesAll: entry.carriesAll)
            }
        }
    }

    /// Returns the progress of each running upload, with its estimated rate and remaining time under the `limits`.
    func samples(_ limits: [LimitScope: ByteCount]) -> [ProgressSample] {
        state.withLock { state in
            let now = now
            let estimates = state.estimator.estimates(of: state.running, limits: limits, at: now)
            return state.entries.values.map { entry in
                var sample = entry.sample
                let estimate = estimates[sample.id] ?? TransferEstimate()
                (sample.rate, sample.remaining) = (estimate.rate, estimate.remaining)
                return sample
            }
        }
    }

    func total(left: RemainingBytes, _ limits: [LimitScope: ByteCount]) -> TransferEstimate {
        state.withLock { state in
            guard !state.entries.isEmpty else { return TransferEstimate() }
            return state.estimator.estimates(
                of: state.running, left: left, limits: limits, at: now
            ).total
        }
    }
}
