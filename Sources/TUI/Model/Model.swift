import FerryProtocols
import FerryUploads

/// The state of the whole screen: messages in, effects out.
struct Model: Sendable {
    enum Phase: Hashable, Sendable {
        /// The first update of the queue has not arrived yet.
        case loading
        case shown
        /// The running uploads finish, then the screen closes.
        case finishing
        /// The queue sends no more updates.
        case ended(isLoaded: Bool)
    }

    var appearance: Appearance
    let ownership: EngineOwnership
    private(set) var hasMouse: Bool
    private(set) var clock: Clock
    private(set) var phase = Phase.loading
    private(set) var status = EngineStatus()

    var list = ListModel()
    private(set) var live = LiveModel()
    var dialog: Dialog?
    var adding: AddSettings
    var log = LogModel()
    var toast = ToastModel()
    var notification = TerminalNotification()

    init(
        appearance: Appearance, destinations: DestinationNames, hasMouse: Bool = false, clock: Clock,
        ownership: EngineOwnership = .own
    ) {
        self.appearance = appearance
        self.ownership = ownership
        adding = AddSettings(destinations)
        self.hasMouse = hasMouse
        self.clock = clock
    }

    var table: UploadTable { list.table }

    var layout: Layout { list.layout }

    var size: Size { layout.size }

    var context: Context { dialog?.context ?? .list }

    var actions: ActionTable { appearance.actions }

    var bytesLeft: Int128 { live.remaining(in: table).total }

    /// True until the model has the queue's uploads. An incomplete update counts only if the engine is not silent.
    var isLoading: Bool { phase == .loading || phase == .ended(isLoaded: false) }

    var hasQueueEnded: Bool { if case .ended = phase { true } else { false } }

    var isOffline: Bool { if case .offline = status.network { true } else { false } }

    /// True if the engine has ended or the queue sends no more updates. An engine that is silent can respond again.
    var isEngineGone: Bool {
        if case .lost = status.contact { return true }
        return hasQueueEnded
    }

    var isSilent: Bool { if case .silent = status.contact { true } else { false } }

    /// The time on the clock at which the model next needs the message `clock`; nil if it waits for nothing.
    var deadline: Double? {
        let (isRunning, isWaiting) = (!table.running.isEmpty, !table.waiting.isEmpty)
        let sample = isRunning ? (live.sampledAt ?? clock.seconds) + LiveModel.sampling : nil
        let countdown = isWaiting ? clock.seconds.rounded(.down) + 1 : nil
        var moments = isEngineGone ? [] : [sample, countdown].compactMap(\.self)
        if let toast = toast.current { moments.append(toast.expires) }
        if case .add(let add) = dialog { moments += add.moments }
        return moments.min()
    }

    var wantsProgress: Bool {
        !table.running.isEmpty && !isEngineGone && live.wantsSamples(at: clock.seconds)
    }

    /// Returns true if the frame has changed since `moment`, a time on the clock, without a message.
    func changesByItself(since moment: Double) -> Bool {
        if let sampledAt = live.sampledAt, sampledAt > moment { return true }
        if !table.waiting.isEmpty, clock.seconds.rounded(.down) > moment.rounded(.down) { return true }
        return toast.endedAt > moment
    }

    func frame() -> Frame { ScreenView(model: self).frame() }

    mutating func update(_ message: Message) -> [Effect] {
        let asked = dialog?.pendingPreview
        let effects = handle(message)
        // Stops a search whose result is no longer needed: searching large folders is expensive.
        if asked == nil || dialog?.pendingPreview != nil { return effects }
        if case .previewed = message { return effects }
        return effects + [.stopPreview]
    }

    private mutating func handle(_ message: Message) -> [Effect] {
        switch message {
        case .clock(let clock):
            self.clock = clock
            toast.advance(to: clock.seconds)
            return updateAdd { $0.askWhatIsDue(&$1) }
        case .resized(let size): return arrange(Layout(size, hasGraph: live.graph != .off))
        case .key(let key): return press(key)
        case .clicked(let target): return click(target)
        case .queue(let update): return take(update)
        case .progress(let samples):
            list.measure(
                live.take(samples, in: table, limits: status.limits.rates, now: clock.seconds))
        case .replied(let reply, let request): return take(reply, to: request)
        case .listed(let folder, let number): return changeAdd { $0.take(folder, number: number, $1) }
        case .previewed(let selection, let past, let number):
            return updateAdd { $0.take(selection, past: past, number: number, &$1) }
        case .completed(let candidates, let number):
            return updateAdd { $0.take(candidates, number: number, &$1) }
        case .destinations(let names):
            adding.destinations = names
            return changeAdd { $0.takeDestinations($1) }
        case .stray(let text):
            let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? text
            hint(String(line.prefix(200)))
        case .cannotSuspend: say(.warning, "cannot suspend: no shell to go back to")
        case .queueEnded:
            let wasFinishing = phase == .finishing
            phase = .ended(isLoaded: !isLoading)
            list.measure(live.standStill(in: table, now: clock.seconds))
            if wasFinishing { return [.finish(.quitWhenIdle)] }
        }
        return []
    }

    private mutating func take(_ update: QueueUpdate) -> [Effect] {
        let wasOffline = isOffline
        if status.limits != update.status.limits { live.hurry() }
        status = update.status
        log.take(status, date: clock.date, zone: appearance.zone)
        live.prepare(for: update, in: table)
        if !update.isComplete {
            for upload in update.changed {
                guard let before = table[upload.id] else { continue }
                let kind = UploadEvent.Kind(from: before, to: upload, isOffline: isOffline)
                if let kind { log.add(event(kind, upload)) }
            }
        }
        list.apply(update)
        live.take(update, in: table, clock: clock)
        if isEngineGone { list.measure(live.standStill(in: table, now: clock.seconds)) }
        if isLoading, update.isComplete || !isSilent {
            list.startCursor()
            phase = hasQueueEnded ? .ended(isLoaded: true) : .shown
        }
        if dialog == nil { list.follow(now: clock.seconds) }
        if wasOffline, !isOffline, !update.isComplete { say(.information, Self.networkIsBack) }
        // The first line of the screen reports unreachable servers, which this toast would contradict.
        if !status.unreachableHosts.isEmpty, toast.current?.text == Self.networkIsBack { toast.clear() }
        let effects = notification.effects(of: update, at: clock.seconds)
        let isFinished = phase == .finishing && (table.running.isEmpty || isEngineGone)
        return isFinished ? effects + [.finish(.quitWhenIdle)] : effects
    }

    private static let networkIsBack = "the network is back; uploads resume where they stopped"

    func event(_ kind: UploadEvent.Kind, _ upload: Upload) -> UploadEvent {
        UploadEvent(
            kind, upload, reached: max(upload.confirmed, live.reached[upload.id] ?? 0), date: clock.date)
    }

    private mutating func take(_ reply: QueueReply, to request: Request) -> [Effect] {
        if case .refused = reply, request == .stopWhenIdle, phase == .finishing { phase = .shown }
        if case .undoable(let offer) = reply { return take(offer) }
        if let (kind, text) = words(reply, to: request) {
            let before = toast.current
            say(kind, text)
            if toast.current != before { log.add(kind, text, date: clock.date) }
        }
        switch (reply, request) {
        case (.changed(let ids), .remove), (.addedPaused(let ids), .remove): list.marks.subtract(ids)
        case (.reversed(.putBack, let ids), _): if showsList { list.goTo(ids) }
        default: break
        }
        return []
    }

    /// Asks the user before an undo. The reply to an undo that the queue would refuse contains the reason.
    private mutating func take(_ offer: UndoOffer) -> [Effect] {
        guard dialog == nil else { return [] }
        if offer.refusal != nil { return [.perform(.undoCommand(offer.number), .undo)] }
        dialog = .undo(UndoDialog(offer: offer, openedAt: clock.seconds))
        return []
    }

    mutating func arrange(_ layout: Layout) -> [Effect] {
        list.arrange(layout)
        return changeAdd { $0.settle($1) }
    }

    mutating func changeGraph() -> [Effect] {
        live.graph = live.graph.next
        list.arrange(Layout(size, hasGraph: live.graph != .off))
        return []
    }

    mutating func toggleMouse() -> [Effect] {
        hasMouse.toggle()
        say(.information, hasMouse ? "mouse on; Shift-drag selects text" : "mouse off; drag selects text")
        return [.setMouse(hasMouse)]
    }

    mutating func finishRunning() -> [Effect] {
        guard !table.running.isEmpty else { return [.finish(.quitWhenIdle)] }
        phase = .finishing
        return [.perform(.stopWhenIdle, .stopWhenIdle)]
    }

    mutating func say(_ kind: LogEntry.Level, _ text: String) { toast.say(kind, text, now: clock.seconds) }

    mutating func hint(_ text: String) {
        say(.warning, text)
        log.add(.warning, text, date: clock.date)
    }

    mutating func refuse(_ why: String) -> [Effect] {
        say(.information, why)
        return []
    }
}
