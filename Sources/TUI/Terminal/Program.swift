import FerryUploads

/// The event loop of the screen, on one thread.
final class Program {
    private let session: TerminalSession
    private let client: any QueueClient
    private let mailbox: Mailbox
    private let choice: Screen.Configuration.GlyphChoice
    private let send: (Effect) -> Void
    private var model: Model
    private var renderer: Renderer
    private var keys = KeyReader()
    private var pacer: FramePacer
    /// The pending question how wide the terminal draws a symbol. Nothing is drawn until it is over.
    private var probe: WidthProbe?
    private var lastFrame: Frame?
    private var outcome: ScreenOutcome?

    init(
        client: any QueueClient, mailbox: Mailbox, configuration: Screen.Configuration,
        send: @escaping (Effect) -> Void
    ) throws(ScreenError) {
        let noColour = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
        session = try TerminalSession(
            mouse: configuration.mouse,
            colour: configuration.colour == .auto ? noColour.isEmpty : configuration.colour != .never,
            direct: configuration.colour == .direct)
        self.client = client
        self.mailbox = mailbox
        choice = configuration.glyphs
        pacer = FramePacer(isSlow: configuration.isSlow)
        self.send = send
        model = Model(
            appearance: Appearance(
                glyphs: Glyphs(isUnicode: choice == .auto ? session.isUnicode : choice == .unicode),
                wantedGraph: configuration.graph,
                actions: configuration.actions, agrees: TerminalSession.agrees),
            destinations: configuration.destinations, hasMouse: configuration.mouse, clock: Clock.now(),
            ownership: configuration.ownership)
        model.notification = configuration.notification
        renderer = Renderer(Palette(tier: session.tier, theme: configuration.theme))
        if let locale = session.missingLocale {
            model.hint(
                "the locale \(locale) is not installed; C.UTF-8 is used (see locale-gen(8), or set LANG=C.UTF-8)"
            )
        }
        if configuration.colour == .direct, session.tier != .direct {
            let name = TerminalSession.name
            model.say(
                .warning, "TERM \(name) has no 24-bit colours; \(session.colours) are used (see ncurses-term)"
            )
        }
    }

    func run() -> ScreenOutcome {
        resize()
        askWidth()
        // Messages that were posted before the terminal was open did not wake this thread.
        takeMail()
        while outcome == nil { turn() }
        let outcome = outcome ?? .quit
        session.close(gone: outcome == .hangUp && isGone)
        return outcome
    }

    /// True once the terminal itself is gone, not after SIGHUP alone.
    private var isGone = false

    private func turn() {
        let events = session.wait(seconds: timeUntilNextEvent())
        update(.clock(Clock.now()))
        if events.contains(.input) { readKeys() }
        for key in keys.expire(now: model.clock.seconds) { handle(key) }
        if events.contains(.stray) {
            update(.stray(String(decoding: session.readStray(), as: UTF8.self)))
            pacer.request(.soon, now: model.clock.seconds)
        }
        if let probe, model.clock.seconds >= probe.deadline { settle(isWide: false) }
        // The input before the hangup is handled above; later input is dropped.
        if events.contains(.hungUp) { hangUp() }
        for signal in session.signals() { handle(signal) }
        takeMail()
        if outcome == nil, model.wantsProgress { update(.progress(client.progress())) }
        draw()
    }

    private func timeUntilNextEvent() -> Double? {
        let now = Clock.now().seconds
        return [keys.deadline, probe?.deadline ?? pacer.due, model.deadline].compactMap { $0 }.min().map {
            max(0, $0 - now)
        }
    }

    private func readKeys() {
        guard let bytes = session.read() else { return hangUp() }
        for key in keys.read(bytes, now: model.clock.seconds) { handle(key) }
    }

    private func hangUp() {
        isGone = true
        outcome = outcome ?? .hangUp
    }

    private func handle(_ key: Key) {
        switch key {
        case .press(let button, let point):
            if button == 0, let target = lastFrame?.target(at: point) { update(.clicked(target)) }
        case .cursorPosition(let cursor): if let probe { settle(isWide: probe.isWide(cursor)) }
        default: update(.key(key))
        }
        pacer.request(.now, now: model.clock.seconds)
    }

    private func askWidth() {
        guard choice == .auto, model.appearance.glyphs.isUnicode, model.size.rows > WidthProbe.row,
            WidthProbe.isNeeded(locale: session.locale)
        else { return }
        session.askWidth()
        probe = WidthProbe(now: model.clock.seconds)
    }

    private func settle(isWide: Bool) {
        probe = nil
        if isWide { model.appearance.glyphs = Glyphs(isUnicode: false) }
        renderer.forget()
        pacer.request(.now, now: model.clock.seconds)
    }

    private func takeMail() {
        let mail = mailbox.drain()
        guard !mail.isEmpty else { return }
        if let changes = mail.update { update(.queue(changes)) }
        for message in mail.messages { update(message) }
        if mail.isClosed { outcome = outcome ?? .quit }
        pacer.request(mail.messages.isEmpty ? .soon : .now, now: model.clock.seconds)
    }

    private func update(_ message: Message) { for effect in model.update(message) { carryOut(effect) } }

    private func carryOut(_ effect: Effect) {
        switch effect {
        case .perform, .add, .preview, .stopPreview, .list, .complete, .askDestinations, .startEngine:
            send(effect)
        case .setMouse(let on): session.setMouse(on)
        case .copy(let text): session.copy(text)
        case .notify(let signal, let text): session.notify(signal, text)
        case .redraw: renderer.forget()
        case .suspend: suspend()
        case .finish(let outcome): self.outcome = self.outcome ?? outcome
        }
    }

    private func handle(_ signal: Int32) {
        switch signal {
        case Signal.windowChange: resize()
        case Signal.suspend: suspend()
        case Signal.resume:
            // After a stop signal that cannot be caught, the terminal has the modes of the shell.
            if waitForForeground() { comeBack() }
        case Signal.hangUp: outcome = outcome ?? .hangUp
        case Signal.terminate, Signal.interrupt, Signal.quit: outcome = outcome ?? .signal(signal)
        default: break
        }
    }

    private func suspend() {
        let hasStopped = session.suspend(model.ownership.farewell)
        guard waitForForeground() else { return }
        comeBack()
        if !hasStopped { update(.cannotSuspend) }
    }

    /// Waits until the program is in the foreground again. Returns false if it must end.
    private func waitForForeground() -> Bool {
        while outcome == nil, !session.isInForeground {
            session.waitInBackground(seconds: 0.25)
            for signal in session.signals() where signal != Signal.resume && signal != Signal.suspend {
                handle(signal)
            }
            update(.clock(Clock.now()))
            takeMail()
        }
        return outcome == nil
    }

    private func comeBack() {
        session.resume()
        renderer.forget()
        resize()
    }

    private func resize() {
        update(.resized(session.size))
        pacer.request(.now, now: model.clock.seconds)
    }

    private func draw() {
        let now = model.clock.seconds
        if model.changesByItself(since: pacer.lastFrame) { pacer.request(.soon, now: now) }
        guard outcome == nil, probe == nil, pacer.isDue(now) else { return }
        guard session.isWritable else { return pacer.postpone(now: now) }
        let frame = model.frame()
        let begun = Clock.now().seconds
        renderer.paint(frame)
        lastFrame = frame
        pacer.drew(now: now, duration: Clock.now().seconds - begun)
    }
}
