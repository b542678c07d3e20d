public import FerryProtocols

extension UploadQueue {
    /// Done uploads that are in the queue beyond the number that is kept, before some of them go.
    private static let slack = 100
    /// Uploads that go with one record.
    private static let batch = 500

    /// What left the queue for the history since the engine started: uploads that this engine finished.
    public struct Retired: Hashable, Sendable {
        /// Uploads.
        public var count = 0
        /// Their sizes.
        public var bytes: ByteCount = 0

        /// Nothing so far.
        public init() {}
    }

    /// Every upload in the order of the queue, and what this engine finished that is no longer in it.
    public var everything: (uploads: [Upload], retired: Retired) { (all, retired) }

    /// The done uploads in the queue that were done before the engine started, and not again since.
    public var doneBefore: Set<Upload.ID> {
        Set(finished.prefix(inherited)).subtracting(finished.dropFirst(inherited))
    }

    /// Notes what ended before the engine started; what is done in the order in which it was finished.
    func rememberEnded() {
        failedBefore = Set(
            uploads.values.filter { upload in
                switch upload.state {
                case .failed, .held: true
                case .queued, .running, .waiting, .paused, .done: false
                }
            }.map(\.id))
        finished = uploads.values.compactMap { upload in
            if case .done(_, let at) = upload.state { (upload.id, at) } else { nil }
        }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
        inherited = finished.count
    }

    /// The journal has these as they are.
    func didSave(_ saved: [Upload]) {
        let done = saved.filter(\.isDone)
        guard !done.isEmpty else { return }
        finished += done.map(\.id)
        history?.add(done.compactMap(HistoryEntry.init(done:)))
        retireIfDue(slack: Self.slack)
    }

    /// Writes down what a killed engine could not, and moves what is too many to the history.
    func completeHistory() {
        guard let history else { return }
        // Without a limit the queue may hold more of them than the history does.
        let newest = configuration.keptDone == nil ? finished.suffix(10_000) : finished[...]
        let done = newest.compactMap { uploads[$0] }
        retiring = Task(executorPreference: surroundings.executor) { [weak self] in
            let isSecure = done.isEmpty ? true : await history.secure(done)
            await self?.didRetire()
            if isSecure { await self?.retireIfDue(slack: 0) }
        }
    }

    /// - Parameter slack: How many more than are kept there may be.
    func retireIfDue(slack: Int) {
        guard let history, let kept = configuration.keptDone, finished.count > kept + slack, retiring == nil,
            phase == .accepting || phase == .finishing
        else { return }
        retiring = Task(executorPreference: surroundings.executor) { [weak self] in
            while let count = await self?.nextToRetire() {
                guard await self?.retire(count, to: history) == true else {
                    await self?.didRetire()
                    break
                }
            }
        }
    }

    private func didRetire() { retiring = nil }

    /// How many go next. Nil if none are left to go: in the same moment it is over, so that what makes more of them due
    /// begins anew.
    private func nextToRetire() -> Int? {
        if phase != .stopped, let kept = configuration.keptDone, finished.count > kept {
            return min(finished.count - kept, Self.batch)
        }
        didRetire()
        return nil
    }

    /// Lets the `count` oldest go.
    ///
    /// - Returns: False if the history or the journal does not take it; then they stay.
    private func retire(_ count: Int, to history: UploadHistory) async -> Bool {
        let batch = finished.prefix(count).compactMap { uploads[$0] }.filter(\.isDone)
        guard await history.secure(batch) else { return false }
        // Meanwhile a person may have removed some.
        guard
            let gone = try? await takeOut(
                batch.map(\.id).filter { uploads[$0]?.isDone ?? false }, durably: false
            ).gone
        else { return false }
        // Those of an earlier engine are the oldest.
        let inherited = min(inherited, count)
        let earlier = Set(finished.prefix(inherited))
        for upload in gone where !earlier.contains(upload.id) { tally(upload) }
        self.inherited -= inherited
        finished.removeFirst(count)
        publish([], removed: gone.map(\.id))
        return true
    }

    private func tally(_ upload: Upload) {
        retired.count += 1
        let (sum, overflow) = retired.bytes.addingReportingOverflow(upload.size)
        retired.bytes = overflow ? .max : sum
    }
}
