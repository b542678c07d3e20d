import FerryProtocols
import FerryTransfer
import FerryUploads

extension Model {
    /// Takes in what happened and returns what is to be done outside. The only place where the model changes.
    mutating func update(_ message: Message) -> [Effect] {
        let asked = pendingPreview
        let effects = handle(message)
        // Walking through large folders costs, also when nobody wants to know any more.
        guard asked != nil, pendingPreview == nil, !message.isPreview else { return effects }
        return effects + [.stopPreview]
    }

    private mutating func handle(_ message: Message) -> [Effect] {
        switch message {
        case .clock(let clock): return advance(to: clock)
        case .resized(let size):
            self.size = size
            keepCursorInView()
            if case .add(let add) = dialog { settle(add) }
        case .key(let key): return press(key)
        case .clicked(let target): return click(target)
        case .queue(let update): return take(update)
        case .progress(let samples): take(samples)
        case .replied(let reply, let request): return take(reply, to: request)
        case .listed(let folder, let number): return take(folder, number: number)
        case .previewed(let selection, let number): return take(selection, number: number)
        case .completed(let candidates, let number): return take(candidates, number: number)
        case .destinations(let names): take(names)
        case .stray(let text):
            let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? text
            log(.warning, String(line.prefix(200)))
            say(.warning, String(line.prefix(200)))
        case .cannotSuspend: say(.warning, "cannot suspend: no shell to go back to")
        case .queueEnded:
            queueHasEnded = true
            standStill()
            if isFinishing { return [.finish(.quitWhenIdle)] }
        }
        return []
    }

    mutating func say(_ kind: Toast.Kind, _ text: String) {
        toast = Toast(kind, text, now: clock.seconds)
    }

    private mutating func advance(to clock: Clock) -> [Effect] {
        self.clock = clock
        if let toast, clock.seconds >= toast.expires {
            self.toast = nil
            toastEnded = clock.seconds
        }
        return askWhatIsDue()
    }

    private mutating func take(_ update: QueueUpdate) -> [Effect] {
        let before = cursorIndex
        let wasOffline = isOffline
        if status.limits != update.status.limits { estimates.hurry() }
        status = update.status
        logChange(to: status)
        if !update.isComplete {
            countUnsampled(update.changed)
            for upload in update.changed { logChange(from: table[upload.id], to: upload) }
        }
        if table.apply(update) { settleCursor(before: before) }
        if update.isComplete { forgetWhatIsGone() }
        for id in update.removed {
            marks.remove(id)
            forgetMovement(of: id)
            reached[id] = nil
            waitEnds[id] = nil
        }
        for upload in update.isComplete ? table.waiting.compactMap({ table[$0] }) : update.changed {
            if case .waiting(let until, _) = upload.state {
                waitEnds[upload.id] = clock.seconds(of: until)
            } else {
                waitEnds[upload.id] = nil
            }
        }
        if !update.isComplete {
            for upload in update.changed where !table.running.contains(upload.id) { remember(upload) }
        }
        if table.running.isEmpty { stopMeasuring() }
        if isEngineGone { standStill() }
        if isLoading { startCursor() }
        isLoading = false
        follow()
        if wasOffline, !isOffline, !update.isComplete { say(.information, Self.networkIsBack) }
        // The first line says of a server that it does not answer: not both.
        if !status.awayHosts.isEmpty, toast?.text == Self.networkIsBack { toast = nil }
        let call = call(for: update)
        return isFinishing && (table.running.isEmpty || isEngineGone) ? call + [.finish(.quitWhenIdle)] : call
    }

    private static let networkIsBack = "the network is back; uploads go on where they were"

    /// Nobody tells any more how far anything is: what is known is how far it was.
    private mutating func standStill() {
        for id in Array(live.keys) {
            if let upload = table[id] { remember(upload) }
        }
        live = [:]
        estimator = TransferEstimator()
        stopMeasuring()
        history = ThroughputHistory()
        let before = cursorIndex
        let still = table.running.map { ($0, Pace(sent: reached[$0] ?? 0)) }
        if table.measure(Dictionary(uniqueKeysWithValues: still)) { settleCursor(before: before) }
    }

    private mutating func stopMeasuring() {
        estimates = ShownEstimates()
        sampledAt = nil
        unsampled = 0
    }

    /// After a description of the whole queue, of which there may be more than of what is remembered here.
    private mutating func forgetWhatIsGone() {
        marks = marks.filter { table[$0] != nil }
        for id in live.keys where !table.running.contains(id) { forgetMovement(of: id) }
        reached = reached.filter {
            table.running.contains($0.key) || table[$0.key]?.goesOnWhereItWas ?? false
        }
        waitEnds = [:]
    }

    /// What the uploads that are done by now had not sent yet when they were last seen.
    private mutating func countUnsampled(_ changed: [Upload]) {
        for upload in changed where !upload.state.isUnfinished {
            guard let before = table[upload.id], before.state.isUnfinished else { continue }
            // What the server tells to hold may be told before the end; only where it went on it was there before.
            let start = upload.tries.resumes > 0 ? before.confirmed : 0
            let seen = live[upload.id]?.sample.sent ?? reached[upload.id] ?? 0
            unsampled += max(0, Double(upload.size) - Double(max(start, seen)))
        }
    }

    /// Keeps how far an upload that stopped has got, if it will go on from there.
    private mutating func remember(_ upload: Upload) {
        let last = forgetMovement(of: upload.id)
        guard upload.goesOnWhereItWas else {
            reached[upload.id] = nil
            return
        }
        guard let last, last.sample.phase.hasBegun else { return }
        reached[upload.id] = min(upload.size, last.sample.sent)
    }

    @discardableResult
    private mutating func forgetMovement(of id: Upload.ID) -> LiveProgress? {
        estimator.end(id, at: clock.seconds)
        estimates.forget(id)
        return live.removeValue(forKey: id)
    }

    private mutating func take(_ samples: [ProgressSample]) {
        var bytes = unsampled
        if unsampled > 0 { estimator.moveUnseen(unsampled, at: clock.seconds) }
        unsampled = 0
        for sample in samples {
            guard let upload = table[sample.id], case .running(let attempt, _) = upload.state else {
                continue
            }
            if sample.phase.hasBegun { reached[sample.id] = nil }
            let movement = live[sample.id]?.take(sample, attempt: attempt, now: clock.seconds)
            if movement == nil {
                live[sample.id] = LiveProgress(sample, attempt: attempt, now: clock.seconds)
            }
            switch movement {
            case .bytes(let moved)?:
                bytes += moved
                estimator.move(sample.id, by: moved, at: clock.seconds)
            case .start?, nil:
                estimates.forget(sample.id)
                if sample.phase.hasBegun { estimator.start(sample.id, at: clock.seconds) }
            case .some(.none): break
            }
        }
        if let sampledAt, clock.seconds > sampledAt {
            history.add(bytes: bytes, over: clock.seconds - sampledAt, now: clock.seconds)
        }
        sampledAt = clock.seconds
        showEstimates()
        let before = cursorIndex
        let paces = live.mapValues { live in
            let shown = estimates[live.sample.id]
            return Pace(sent: live.sample.sent, rate: shown.rate, remaining: shown.remaining)
        }
        if table.measure(paces) { settleCursor(before: before) }
    }

    private mutating func showEstimates() {
        let running = live.keys.compactMap { table[$0] }.map { upload in
            TransferEstimator.Running(
                id: upload.id, size: upload.size, sent: live[upload.id]?.sample.sent ?? 0,
                scopes: upload.limitScopes)
        }
        estimates.show(
            estimator.estimates(
                of: running, left: remainingBytes, limits: status.limits.rates, at: clock.seconds),
            now: clock.seconds)
    }
}

extension Upload {
    /// True if the server holds a part of it that need not be sent again.
    fileprivate var goesOnWhereItWas: Bool { canResume && resource != nil && state.isUnfinished }
}
