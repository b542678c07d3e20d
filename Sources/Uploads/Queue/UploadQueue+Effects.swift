import FerryConnectivity
import FerryProtocols
import FerryTransfer
import Synchronization

/// Passes events to `QueueCore`, and performs the effects that it returns.
extension UploadQueue {
    func send(_ event: CoreEvent) { perform(core.handle(event, at: now)) }

    /// Passes an event, created from the number of the reply, to the core, and waits for the reply. It follows the
    /// write of what must be on disk, or the failure of this write.
    @discardableResult
    func ask(_ event: (ReplyID) -> CoreEvent) async throws(UploadFailure) -> TransactionResult {
        replies.last += 1
        let id = replies.last
        let result = await withCheckedContinuation { waiter in
            replies.waiters[id] = waiter
            send(event(id))
        }
        return try result.get()
    }

    @discardableResult
    func transact(_ transaction: Transaction) async throws(UploadFailure) -> TransactionResult {
        try await ask { .transaction(transaction, $0) }
    }

    /// Performs effects in sequence. A call within another one leaves its effects to that one.
    func perform(_ new: [CoreEffect]) {
        effects += new
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !effects.isEmpty {
            let next = effects
            effects = []
            for effect in next { perform(effect) }
        }
    }

    private func perform(_ effect: CoreEffect) {
        switch effect {
        case .append(let changes, let durability, let ticket):
            journal.submit(changes, durability) { [environment] result in
                let isFirst = self.appendResults.withLock { results in
                    results.append((ticket, result))
                    return results.count == 1
                }
                // An earlier result has started the task that takes all of them.
                guard isFirst else { return }
                environment.task { await self.takeAppendResults() }
            }
        case .reply(let id, let result): replies.waiters.removeValue(forKey: id)?.resume(returning: result)
        case .publish(let ids, let removed): publish(ids, removed: removed)
        case .start(let upload, let run): start(upload, run: run)
        case .cancel(let id): tasks.runs[id]?.task.cancel()
        case .probe(let host, let number):
            tasks.probes[number] = environment.task { [weak self, probe] in
                let result = await probe(host)
                await self?.probed(host, number: number, result)
            }
        case .measureRoundTrip(let host):
            tasks.roundTrips[host] = environment.task { [weak self, environment] in
                await self?.measured(host, await environment.roundTrip(host))
            }
        case .discard(let upload): discard(upload)
        case .abandon(let uploads, let date): runner.abandon(uploads, since: date)
        case .reclaim(let uploads): runner.reclaim(uploads)
        case .invalidateConnections(let reason): runner.invalidateConnections(because: reason)
        case .linkIsAway(let isAway): runner.linkChanged(isAway: isAway)
        case .remember(let entries): history?.add(entries)
        case .retire: startRetiring()
        case .repair: environment.task { await self.repairJournal() }
        case .saveDirty:
            environment.task {
                await self.saveDirty()
                await self.send(.advance)
            }
        case .limitRates(let rates): rateLimit.set(rates)
        case .wake(let instant): setTimer(instant)
        case .idle: wakeIdleWaiters()
        }
    }

    private func takeAppendResults() {
        let results = appendResults.withLock { results in
            defer { results = [] }
            return results
        }
        send(.journaled(results))
    }

    private func publish(_ ids: [Upload.ID], removed: [Upload.ID]) {
        guard !listeners.isEmpty else { return }
        guard ids.count <= UpdateListeners.pageSize else {
            return listeners.publish(changed: ids, in: snapshot, removed: removed, status: status)
        }
        let (changed, status) = core.news(of: ids, at: now)
        listeners.publish(changed: changed, removed: removed, status: status)
    }

    private func setTimer(_ instant: ContinuousClock.Instant?) {
        tasks.timer?.cancel()
        tasks.timer = instant.map { instant in
            environment.task { [weak self, clock] in
                guard (try? await clock.sleep(instant)) != nil else { return }
                await self?.send(.timer)
            }
        }
    }

    private func probed(_ host: UploadHost, number: Int, _ answer: Reachability) {
        tasks.probes[number] = nil
        send(.probed(host, number: number, answer))
    }

    private func measured(_ host: UploadHost, _ roundTrip: Duration?) {
        tasks.roundTrips[host] = nil
        if let roundTrip { send(.roundTrip(host, roundTrip)) }
    }

    private func discard(_ upload: Upload) {
        tasks.lastDiscard += 1
        let number = tasks.lastDiscard
        // This entry remains if the server does not respond or this process ends, so the bytes can be deleted later.
        runner.abandon([upload], since: clock.date())
        tasks.discards[number] = environment.task { [runner] in
            await runner.discard(upload)
            await self.didDiscard(number)
        }
    }

    private func didDiscard(_ number: Int) { tasks.discards[number] = nil }
}

// The attempts.
extension UploadQueue {
    private func start(_ upload: Upload, run number: Int) {
        progressStore.begin(upload, confirmed: upload.confirmed)
        let recorder = RunRecorder(queue: self, progressStore: progressStore, upload: upload, run: number)
        let task = environment.task { [runner] in
            if !QueueCore.isBrief(upload) { _ = try? await self.transact(.save([upload.id], .process)) }
            let outcome = await runner.run(upload, recorder: recorder)
            await self.ended(
                upload.id, run: number, outcome, file: await self.newVersion(upload, outcome.value))
        }
        tasks.runs[upload.id] = (number, task)
    }

    /// Returns the current version of a file that changed during the attempt, if the upload is to restart with it. The
    /// queue starts no other attempt at the upload before this function returns.
    private func newVersion(_ upload: Upload, _ outcome: UploadAttempt.Outcome) async -> FileIdentity? {
        guard case .failed(let failure) = outcome, failure.category == .sourceChanged,
            core.retryPolicy(for: upload).whenFileChanges == .restart
        else { return nil }
        return try? await environment.look(upload.path, upload.identity).get()
    }

    private func ended(
        _ id: Upload.ID, run number: Int, _ outcome: Redacted<UploadAttempt.Outcome>, file: FileIdentity?
    ) async {
        let sent = progressStore.end(id)?.sent ?? 0
        _ = try? await ask { reply in
            .attempt(id, run: number, .ended(outcome, file: file, sent: sent), reply)
        }
        progressStore.remove(id)
        if tasks.runs[id]?.number == number { tasks.runs[id] = nil }
    }

    /// Passes to the core how many bytes an attempt has sent, so that the next engine can count those sent again.
    fileprivate func noteSent(of id: Upload.ID, run number: Int) {
        guard let sample = progressStore.sample(of: id) else { return }
        send(.sent(id, run: number, sample.sent))
    }

    /// Passes the upload resource that an attempt reports to the core. Throws if the attempt is no longer the current
    /// one, or if the disk refuses a write that must survive a power cut (`durably`).
    fileprivate func record(
        _ resource: Redacted<UploadResource>?, for id: Upload.ID, run number: Int, durably: Bool
    ) async throws(UploadFailure) {
        try await ask { reply in
            if core.runs.run(of: id, number: number) != nil {
                progressStore.update(id) { $0.confirmed = resource?.value.confirmed ?? 0 }
            }
            return .attempt(id, run: number, .recorded(resource, durably: durably), reply)
        }
    }
}

// The disk and the history.
extension UploadQueue {
    /// Repairs the journal, writes the changes that are not on disk yet, and passes the result to the core.
    func repairJournal() async {
        guard core.phase != .stopped else { return }
        let condition = await journal.repair()
        await saveDirty()
        send(.repaired(condition))
    }

    /// Writes the uploads whose current state is not on disk, 500 in a record, until the disk refuses one.
    ///
    /// Only one call runs at a time. Two could write the same upload as done, and it would be in the history twice.
    func saveDirty() async {
        while replies.ofSaving != nil {
            await withCheckedContinuation { replies.ofSaving?.append($0) }
        }
        replies.ofSaving = []
        defer {
            for waiter in replies.ofSaving.take() ?? [] { waiter.resume() }
        }
        let ids = Array(core.unconfirmed.dirty.ids)
        for start in stride(from: 0, to: ids.count, by: 500) {
            let batch = Array(ids[start..<min(start + 500, ids.count)])
            _ = try? await transact(.save(batch, .finding))
            guard !batch.contains(where: core.unconfirmed.dirty.contains) else { return }
        }
    }

    /// Starts a task that adds done uploads to the history if an earlier engine was killed before it did so.
    /// Afterwards, the oldest done uploads beyond `keptDone` move to the history.
    func completeHistory() {
        guard let history else { return }
        let finished = core.archive.finished
        // Without `keptDone`, the queue may contain more done uploads than the history keeps.
        let newest = core.configuration.keptDone == nil ? finished.suffix(10_000) : finished[...]
        let done = newest.compactMap { core.uploads[$0] }
        tasks.retiring = environment.task { [weak self] in
            let isSecure = done.isEmpty ? true : await history.secure(done)
            await self?.didRetire()
            if isSecure { await self?.send(.historyCompleted) }
        }
    }

    private func startRetiring() {
        guard let history, tasks.retiring == nil else { return }
        tasks.retiring = environment.task { [weak self] in
            while let batch = await self?.nextToRetire() {
                guard await self?.retire(batch, to: history) == true else {
                    await self?.didRetire()
                    break
                }
            }
        }
    }

    private func didRetire() { tasks.retiring = nil }

    /// Returns the done uploads that move to the history next. If there are none, returns nil and clears
    /// `tasks.retiring` without suspending in between, so that `startRetiring` starts a new task for later ones.
    private func nextToRetire() -> ArraySlice<Upload.ID>? {
        if core.phase != .stopped, let kept = core.configuration.keptDone,
            let batch = core.archive.leaving(keeping: kept)
        {
            return batch
        }
        didRetire()
        return nil
    }

    /// Moves done uploads to the history. Returns false if the history or the journal refuses them.
    private func retire(_ batch: ArraySlice<Upload.ID>, to history: UploadHistory) async -> Bool {
        let uploads = batch.compactMap { core.uploads[$0] }.filter(\.isDone)
        // A user may remove some of the uploads while the history is written.
        guard await history.secure(uploads), (try? await transact(.retire(uploads.map(\.id)))) != nil
        else { return false }
        send(.retired(count: batch.count))
        return true
    }
}

/// The receiver of the events of one attempt, which passes them to the queue and to `progressStore`.
private struct RunRecorder: AttemptRecorder {
    let queue: UploadQueue
    let progressStore: ProgressStore
    let upload: Upload
    let run: Int

    private var id: Upload.ID { upload.id }

    func record(_ resource: Redacted<UploadResource>?, durably: Bool) async throws(UploadFailure) {
        try await queue.record(resource, for: id, run: run, durably: durably)
    }

    func isReading() {
        progressStore.update(id) { sample in
            // With several requests under way, one may read while others send.
            if sample.phase != .sending { sample.phase = .reading }
        }
    }

    func didStart(_ exchange: Exchange, reached: ByteCount) {
        guard case .file(let range, _, _) = exchange.body else {
            return progressStore.startWithoutFile(id, at: queue.clock.now())
        }
        progressStore.start(
            id, carriesAll: range == 0..<upload.size && !exchange.traits.contains(.kept),
            at: queue.clock.now())
        didSend(0, reached: reached)
    }

    func didSend(_ bytes: ByteCount, reached: ByteCount) {
        guard progressStore.sent(id, bytes: bytes, reached: reached, at: queue.clock.now()) else { return }
        queue.environment.task { await queue.noteSent(of: id, run: run) }
    }

    func didFinishSending(_ exchange: Exchange) {
        guard exchange.traits.contains(.completes) else { return }
        progressStore.update(id) { $0.phase = .waitingForServer }
    }

    func didEnd(out bytes: ByteCount) {
        // The sample can be higher: bytes that the server lost are part of it until the next request begins.
        progressStore.update(id) { $0.sent = bytes }
    }
}
