import FerryProtocols
import FerryUploads

/// The progress and the rates of the uploads, sampled while they run.
struct LiveModel: Sendable {
    /// The number of seconds between samples of the running uploads.
    static let sampling = 0.25

    private(set) var progress: [Upload.ID: LiveProgress] = [:]
    /// The number of bytes that each stopped upload has sent, if its next attempt continues after them.
    private(set) var reached: [Upload.ID: ByteCount] = [:]
    /// The times on the monotonic clock at which the waiting uploads are retried.
    private(set) var waitEnds: [Upload.ID: Double] = [:]
    private var estimator = TransferEstimator()
    private(set) var estimates = ShownEstimates()
    private(set) var history = ThroughputHistory()
    var graph = GraphSpan.seconds
    private(set) var sampledAt: Double?
    /// The bytes that finished uploads sent after their last samples, which the next sampling counts.
    private var unsampled = 0.0

    /// Estimates the bytes on the server. Without an upload resource, only confirmed ones count.
    func stored(_ upload: Upload) -> ByteCount {
        let confirmed = max(upload.confirmed, progress[upload.id]?.sample.confirmed ?? 0)
        guard upload.resource != nil else { return confirmed }
        return max(confirmed, progress[upload.id]?.sample.sent ?? 0, reached[upload.id] ?? 0)
    }

    /// Returns true if a removal would delete an upload resource or bytes on the server.
    func isPartlyAtServer(_ upload: Upload) -> Bool {
        upload.state.isUnfinished && (upload.resource != nil || stored(upload) > 0)
    }

    func remaining(in table: UploadTable) -> RemainingBytes {
        let sent = progress.values.map { ($0.sample.id, $0.sample.sent) } + reached.map { ($0.key, $0.value) }
        return sent.reduce(into: table.left) { left, part in
            guard let upload = table[part.0], upload.isDue else { return }
            left.add(-max(0, Int128(min(part.1, upload.size)) - Int128(upload.confirmed)), of: upload)
        }
    }

    func wantsSamples(at now: Double, every interval: Double = Self.sampling) -> Bool {
        sampledAt.map { now - $0 >= interval - 0.005 } ?? true
    }

    mutating func hurry() { estimates.hurry() }

    /// Counts the bytes that finished uploads sent after their last sample. `table` is the table before the update.
    mutating func prepare(for update: QueueUpdate, in table: UploadTable) {
        guard !update.isComplete else { return }
        for upload in update.changed where !upload.state.isUnfinished {
            guard let before = table[upload.id], before.state.isUnfinished else { continue }
            // Only an attempt that resumed began with confirmed bytes. Others got them during the attempt.
            let start = upload.tries.resumes > 0 ? before.confirmed : 0
            let seen = progress[upload.id]?.sample.sent ?? reached[upload.id] ?? 0
            unsampled += max(0, Double(upload.size) - Double(max(start, seen)))
        }
    }

    /// Stores when uploads are retried, and ends measurements. `table` is the table after the update.
    mutating func take(_ update: QueueUpdate, in table: UploadTable, clock: Clock) {
        if update.isComplete { forgetWhatIsGone(from: table, now: clock.seconds) }
        for id in update.removed {
            forgetMovement(of: id, now: clock.seconds)
            reached[id] = nil
            waitEnds[id] = nil
        }
        for upload in update.isComplete ? table.waiting.compactMap({ table[$0] }) : update.changed {
            let until: Date? = if case .waiting(let until, _) = upload.state { until } else { nil }
            waitEnds[upload.id] = until.map(clock.seconds(of:))
        }
        for upload in update.changed where !update.isComplete && !table.running.contains(upload.id) {
            remember(upload, now: clock.seconds)
        }
        if table.running.isEmpty { stopMeasuring() }
    }

    mutating func take(
        _ samples: [ProgressSample], in table: UploadTable, limits: [LimitScope: ByteCount], now: Double
    ) -> [Upload.ID: TransferRate] {
        var bytes = unsampled
        if unsampled > 0 { estimator.moveUnseen(unsampled, at: now) }
        unsampled = 0
        for sample in samples {
            guard let upload = table[sample.id], case .running(let attempt, _) = upload.state else {
                continue
            }
            if sample.phase.hasBegun { reached[sample.id] = nil }
            let movement = progress[sample.id]?.take(sample, attempt: attempt, now: now)
            if movement == nil { progress[sample.id] = LiveProgress(sample, attempt: attempt, now: now) }
            switch movement {
            case .bytes(let moved)?:
                bytes += moved
                estimator.move(sample.id, by: moved, at: now)
            case .start?, nil:
                estimates.forget(sample.id)
                if sample.phase.hasBegun { estimator.start(sample.id, at: now) }
            case .some(.none): break
            }
        }
        if let sampledAt, now > sampledAt { history.add(bytes: bytes, over: now - sampledAt, now: now) }
        sampledAt = now
        showEstimates(in: table, limits: limits, now: now)
        return progress.mapValues { live in
            let shown = estimates[live.sample.id]
            return TransferRate(sent: live.sample.sent, rate: shown.rate, remaining: shown.remaining)
        }
    }

    /// Ends all measurements because the engine is gone. Returns how far each running upload got.
    mutating func standStill(in table: UploadTable, now: Double) -> [Upload.ID: TransferRate] {
        for id in Array(progress.keys) {
            if let upload = table[id] { remember(upload, now: now) }
        }
        progress = [:]
        estimator = TransferEstimator()
        stopMeasuring()
        history = ThroughputHistory()
        let still = table.running.map { ($0, TransferRate(sent: reached[$0] ?? 0)) }
        return Dictionary(uniqueKeysWithValues: still)
    }

    private mutating func stopMeasuring() {
        estimates = ShownEstimates()
        sampledAt = nil
        unsampled = 0
    }

    private mutating func forgetWhatIsGone(from table: UploadTable, now: Double) {
        for id in progress.keys where !table.running.contains(id) { forgetMovement(of: id, now: now) }
        reached = reached.filter {
            table.running.contains($0.key) || table[$0.key]?.resumesWhereItWas ?? false
        }
        waitEnds = [:]
    }

    /// Stores how many bytes a stopped upload has sent, if its next attempt continues after them.
    private mutating func remember(_ upload: Upload, now: Double) {
        let last = forgetMovement(of: upload.id, now: now)
        guard upload.resumesWhereItWas else {
            reached[upload.id] = nil
            return
        }
        guard let last, last.sample.phase.hasBegun else { return }
        reached[upload.id] = min(upload.size, last.sample.sent)
    }

    @discardableResult
    private mutating func forgetMovement(of id: Upload.ID, now: Double) -> LiveProgress? {
        estimator.end(id, at: now)
        estimates.forget(id)
        return progress.removeValue(forKey: id)
    }

    private mutating func showEstimates(
        in table: UploadTable, limits: [LimitScope: ByteCount], now: Double
    ) {
        let running = progress.keys.compactMap { table[$0] }.map { upload in
            TransferEstimator.Running(
                id: upload.id, size: upload.size, sent: progress[upload.id]?.sample.sent ?? 0,
                scopes: upload.limitScopes)
        }
        estimates.show(
            estimator.estimates(of: running, left: remaining(in: table), limits: limits, at: now), now: now)
    }
}

extension Upload {
    fileprivate var resumesWhereItWas: Bool { canResume && resource != nil && state.isUnfinished }
}
