import FerryProtocols
import FerryTransfer
import Foundation

extension UploadQueue {
    /// Starts what may start, sets the timer for what waits, and tells who waits for the end.
    func advance() {
        reviewLimits()
        startRuns()
        setTimer()
        if isIdle { wakeIdleWaiters() }
    }

    private func startRuns() {
        guard phase == .accepting, unsaved.isEmpty, !saving.isRefused else { return }
        if let shortage, clock.now() < shortage.pausedUntil { return }
        let total = settings.concurrency ?? configuration.concurrency
        let whole = smallPerPlace
        let limits = Scheduler.Limits(
            total: total * whole, perHost: (configuration.concurrencyPerHost ?? total) * whole)
        func places(_ id: Upload.ID) -> Int { uploads[id].map { share(ofSize: $0.size) } ?? whole }
        var running: [UploadHost: Int] = [:]
        for (id, run) in runs { running[run.host, default: 0] += places(id) }
        var postponed: [Upload] = []
        let stuck = stuckPlaces(places)
        while let id = scheduler.next(
            limits: limits, running: running, stuck: stuck, isBlocked: isBlocked, places: places,
            isCurrent: { [uploads] id, rank in
                guard let upload = uploads[id], upload.rank == rank else { return false }
                return upload.state == .queued && upload.start == nil
            })
        {
            guard let upload = uploads[id] else { continue }
            // Its last attempt has not let go yet, or the disk has not taken the order that queued it: either is told in a
            // moment, and we come back here.
            guard runs[id] == nil, !ordered.contains(id) else {
                postponed.append(upload)
                continue
            }
            begin(upload)
            running[runner.host(of: upload), default: 0] += places(id)
        }
        for upload in postponed {
            scheduler.enqueue(upload.id, rank: upload.rank, host: runner.host(of: upload))
        }
        let isFull = running.values.reduce(0, +) >= limits.total
        stuckLook =
            isFull && scheduler.waits(besides: running) ? clock.now().advanced(by: Self.stuckAfter / 2) : nil
    }

    /// An upload of which nothing has moved for so long does not keep uploads to other hosts waiting.
    private static let stuckAfter = Duration.seconds(10)

    /// The places taken at each host by uploads that are stuck.
    private func stuckPlaces(_ places: (Upload.ID) -> Int) -> [UploadHost: Int] {
        let now = clock.now()
        var stuck: [UploadHost: Int] = [:]
        for (id, run) in runs where board.sample(of: id)?.phase != .reading {
            // Before the first byte the times for connecting and for an answer bound how long it takes.
            guard let moved = board.moved(id), moved.duration(to: now) >= Self.stuckAfter else { continue }
            stuck[run.host, default: 0] += places(id)
        }
        return stuck
    }

    private func begin(_ upload: Upload) {
        var upload = upload
        upload.tries.attempts += 1
        if upload.resource == nil { upload.tries.countResent(after: 0) }
        upload.state = .running(attempt: upload.tries.attempts, since: clock.date())
        store(upload)
        lastRun += 1
        let number = lastRun
        board.begin(upload, confirmed: upload.resource?.confirmed ?? 0)
        let recorder = RunRecorder(queue: self, board: board, upload: upload, run: number)
        let started = upload
        let task = Task(executorPreference: surroundings.executor) { [runner] in
            await self.save([started.id], durably: false)
            let outcome = await runner.run(started, recorder: recorder)
            await self.ended(started.id, run: number, outcome, file: await self.newVersion(started, outcome))
        }
        runs[upload.id] = Run(
            number: number, host: runner.host(of: upload), task: task, started: clock.now(),
            lastSaved: clock.now(),
            unasked: upload.resource, confirmed: upload.confirmed)
    }

    /// The file as it is now, if a change of it is no reason to ask a person; looked at while the run still counts, so
    /// that nothing else begins meanwhile.
    private func newVersion(_ upload: Upload, _ outcome: UploadAttempt.Outcome) async -> FileIdentity? {
        guard case .failed(let failure) = outcome, failure.category == .sourceChanged,
            retryPolicy(for: upload).whenFileChanges == .restart
        else { return nil }
        return try? await surroundings.look(upload.path, upload.identity).get()
    }

    func cancelRuns(_ ids: [Upload.ID]) {
        for id in ids { runs[id]?.task.cancel() }
    }

    /// The recorder's way in. A run that is no longer the current one has nothing to say.
    func record(
        _ resource: Resource?, for id: Upload.ID, run number: Int, durably: Bool
    ) async throws(UploadFailure) {
        guard let run = runs[id], run.number == number, var upload = uploads[id] else {
            removed[id]?.resource = resource
            throw UploadFailure(.network, "stopped")
        }
        if let resource, run.unasked != nil {
            // The first answer of this run: what the server holds is not sent again, the rest of what went out is.
            runs[id]?.unasked = nil
            if resource.confirmed > 0 { upload.tries.resumes += 1 }
            upload.tries.countResent(after: resource.confirmed)
        }
        var isLifted = false
        if let resource, resource.confirmed > (upload.resource?.confirmed ?? 0) {
            upload.tries.network = 0
            upload.tries.server = 0
            upload.tries.authentication = 0
            isLifted = hostAnswered(run.host)
        }
        upload.resource = resource
        store(upload)
        if isLifted { advance() }
        board.update(id) { $0.confirmed = resource?.confirmed ?? 0 }
        let now = clock.now()
        // The server is the authority on its offset: once a second is often enough for a hint.
        guard durably || now - run.lastSaved >= .seconds(1) else { return publish([id]) }
        runs[id]?.lastSaved = now
        await ordersEnd([id])
        guard let upload = uploads[id] else { throw UploadFailure(.network, "stopped") }
        do throws(JournalError) {
            if durably {
                try await journal.appendFinding([.set(upload)], durably: true)
            } else {
                try await journal.append([.set(upload)], durably: false)
            }
        } catch {
            let failure = reportDisk(error)
            if error.isOfDisk { unsaved.insert([id]) }
            if durably { throw failure }
        }
        publish([id])
    }

    private func ended(
        _ id: Upload.ID, run number: Int, _ outcome: UploadAttempt.Outcome, file: FileIdentity?
    ) async {
        guard let run = runs[id], run.number == number else { return }
        runs[id] = nil
        let sample = board.end(id)
        guard var upload = uploads[id] else {
            // Should it be put back, it has arrived already.
            if case .done(let receipt) = outcome {
                if let upload = removed[id] { runner.reclaim([upload]) }
                removed[id]?.resource = nil
                removed[id]?.state = done(receipt, of: run)
            }
            return advance()
        }
        let before = upload
        upload.tries.sent = max(upload.tries.sent, sample?.sent ?? 0)
        if saving.isRefused { publish([]) }
        switch (upload.state, outcome) {
        case (.running, _): break
        // The server's last word counts, whatever was done with the upload in the same moment.
        case (.paused, .done), (.queued, .done): break
        case (.paused(.offline), .failed(let failure)) where failure.status != nil: break
        default:
            // Somebody paused it, or the link is away: only how much was sent is new.
            if upload.tries != before.tries {
                store(upload)
                await save([id], durably: false)
            }
            return advance()
        }
        switch outcome {
        case .done(let receipt):
            upload.tries.sent = 0
            retriedAtOnce[id] = nil
            upload.resource = nil
            upload.state = done(receipt, of: run)
            hostAnswered(run.host)
        case .cancelled: upload.state = .queued
        case .failed(let failure):
            let movement = movement(of: upload, in: run, sent: sample?.sent ?? 0)
            settle(&upload, after: failure, movement, host: run.host, file: file)
        }
        store(upload)
        let isNewVersion = upload.identity != before.identity
        // The attempt could not reach the server to delete what it holds of the old version.
        if isNewVersion, before.resource != nil { discard(before) }
        let isFinal: Bool
        switch upload.state {
        case .done, .failed, .held:
            isFinal = true
            unconfirmed[id] = before.state
        case .queued, .running, .waiting, .paused: isFinal = isNewVersion
        }
        await save([id], durably: isFinal, isFinding: isFinal)
        advance()
    }

    private func done(_ receipt: Receipt, of run: Run) -> Upload.State {
        var receipt = receipt
        receipt.duration = run.started.duration(to: clock.now()) / .seconds(1)
        return .done(receipt, at: clock.date())
    }

    private func settle(
        _ upload: inout Upload, after failure: UploadFailure, _ movement: AttemptMovement, host: UploadHost,
        file: FileIdentity?
    ) {
        if failure.category.isOfNetwork {
            if failure.category == .timedOut { hostTimedOut(host) }
            hostFailed(host)
            if !host.isLocal, gate != .open {
                // The link is away: that is no fault of the upload's and costs it no try.
                upload.state = .paused(.offline)
                forcedTryFailed()
                return
            }
        } else if failure.status != nil {
            hostAnswered(host)
        }
        if failure.category == .signInPage {
            signInPauses[host] = SignInPause(at: clock.now(), notice: failure)
        }
        if failure.category == .descriptors {
            shortage = DescriptorShortage(at: clock.now(), notice: failure.ofEveryUpload)
        }
        let decision = retryPolicy(for: upload).decide(
            after: failure, tries: &upload.tries, movement: movement, random: surroundings.random)
        switch decision {
        case .wait, .again:
            // What is known of the server is only that nothing is known.
            if failure.category == .outcomeUnknown { upload.resource = nil }
        case .restart, .hold, .fail: break
        }
        switch decision {
        case .again: upload.state = .queued
        case .wait(let seconds):
            if failure.asksAllToWait { hostAsked(host, toWait: seconds, status: failure.status ?? 0) }
            upload.state = .waiting(until: clock.date().addingTimeInterval(seconds), failure: failure)
        case .restart:
            // A link in the file's place, or no file at all, is nothing to begin anew with.
            guard let file, file != upload.identity else {
                upload.state = .held(failure)
                return
            }
            upload.take(file)
            upload.state = .queued
        case .hold(let failure): upload.state = .held(failure)
        case .fail(let failure): upload.state = .failed(failure)
        }
    }

    /// Returns what a failed attempt had moved, as far as that decides how long the next one waits.
    ///
    /// - Parameter sent: Bytes of the file that were sent or confirmed when it ended.
    private func movement(of upload: Upload, in run: Run, sent: ByteCount) -> AttemptMovement {
        guard !isLinkFresh else { return .linkIsFresh }
        let seconds = run.started.duration(to: clock.now()) / .seconds(1)
        let enough = AttemptMovement.least(ofSize: upload.size)
        guard max(sent, upload.confirmed) - run.confirmed >= enough else { return .none }
        // A server that takes next to nothing of each connection gets the waits of one that takes nothing.
        guard upload.tries.network == 0, upload.confirmed - (retriedAtOnce[upload.id] ?? -enough) >= enough
        else { return .moved(seconds: seconds) }
        retriedAtOnce[upload.id] = upload.confirmed
        return .movedOn
    }

    /// How much an attempt has sent, so that what is sent again after a kill is counted. A hint: it need not be durable.
    func noteSent(of id: Upload.ID, run number: Int) async {
        guard let run = runs[id], run.number == number, var upload = uploads[id],
            let sample = board.sample(of: id), sample.sent > upload.tries.sent
        else { return }
        upload.tries.sent = sample.sent
        store(upload)
        await save([id], durably: false)
    }

    private func setTimer() {
        timer?.cancel()
        timer = nil
        let now = clock.now()
        let moments =
            [waits.nextInstant(), shortage?.nextInstant(after: now), nextStart(after: now), stuckLook]
            .compactMap { $0 }
            + hostInstants.filter { $0 > now }
        guard phase == .accepting, let next = moments.min() else { return }
        timer = Task(executorPreference: surroundings.executor) { [weak self, clock] in
            guard (try? await clock.sleep(next)) != nil else { return }
            await self?.wake()
        }
    }

    private func wake() async {
        var changed: [Upload.ID] = []
        for id in waits.due(at: clock.now()) {
            guard var upload = uploads[id], case .waiting = upload.state else { continue }
            upload.state = .queued
            store(upload)
            changed.append(id)
        }
        if let end = shortage?.end, end <= clock.now() { shortage = nil }
        pruneHosts()
        publish(changed)
        startDue()
        advance()
    }
}

/// What one run may tell the queue.
private struct RunRecorder: AttemptRecorder {
    let queue: UploadQueue
    let board: ProgressBoard
    let upload: Upload
    let run: Int

    private var id: Upload.ID { upload.id }

    func record(_ resource: Resource?, durably: Bool) async throws(UploadFailure) {
        try await queue.record(resource, for: id, run: run, durably: durably)
    }

    func isReading() {
        board.update(id) { sample in
            // With several requests under way one reads while others send.
            if sample.phase != .sending { sample.phase = .reading }
        }
    }

    func didStart(_ exchange: Exchange, reached: ByteCount) {
        guard case .file(let range, _, _) = exchange.body else { return }
        board.start(id, carriesAll: range == 0..<upload.size && !exchange.keepsWhatArrives)
        didSend(0, reached: reached)
    }

    func didSend(_ bytes: ByteCount, reached: ByteCount) {
        guard board.sent(id, reached: reached, at: queue.clock.now()), bytes > 0 else { return }
        Task(executorPreference: queue.surroundings.executor) { await queue.noteSent(of: id, run: run) }
    }

    func didFinishSending(_ exchange: Exchange) {
        guard exchange.mayComplete else { return }
        board.update(id) { $0.phase = .waitingForServer }
    }
}
