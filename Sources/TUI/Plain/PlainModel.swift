import FerryUploads

/// The state of the line mode, which prints lines instead of drawing a screen. They are safe for every terminal.
struct PlainModel: Sendable {
    enum Input: Hashable, Sendable {
        /// A terminal, where the end of the input (Ctrl-D) quits.
        case terminal
        case pipe
        /// The pipe has ended, and commands are not carried out yet.
        case ended
        case waitingForIdle
        /// The queue has been idle since this time. The model waits up to a second for the last events.
        case idle(since: Double)
    }

    /// A confirmation question, which the next typed line can answer.
    enum Question: Hashable, Sendable {
        case quit
        case removal(UploadSelection)
        case undo(Int)
    }

    /// The lines about the outcome of a command, besides those about the uploads' events.
    struct Outcome: Sendable {
        var changed: String?
        var unchanged: String?
        /// The first word about an undo or redo, `undone` or `redone`, which the change follows.
        var reversed: String?
        /// The number of files to add.
        var files: Int?
        /// The command and its uploads, to explain why some are unchanged.
        var steering: (command: NoOpExplanation.Command, selection: UploadSelection)?
    }

    struct Addition: Hashable, Sendable {
        var paths: String
        var destination: String
        let number: Int
    }

    /// The screen's model, of which the lines are made.
    var model: Model
    var input: Input
    var question: Question?
    /// The outcomes of the commands whose replies are pending.
    var awaited: [Outcome] = []
    /// The additions to make. The search for the files of the first is running.
    var additions: [Addition] = []

    private var detector = QueueEventDetector(reportsStanding: true)
    private var events = EventSummary(names: false)
    private var troubles = EventSummary(names: true)
    private var summaryDue: Double?
    private var effects: [PlainEffect] = []
    /// The lines typed before the first update of the queue. The commands need its uploads.
    private var early: [PlainMessage] = []

    static let summaryInterval = 10.0
    private static let sampling = 1.0
    private static let eventWait = 1.0
    private static let longestLine = 2000

    init(
        destinations: DestinationNames, readsTerminal: Bool, clock: Clock,
        ownership: EngineOwnership = .own
    ) {
        model = Model(
            appearance: Appearance(glyphs: Glyphs(isUnicode: false)), destinations: destinations,
            clock: clock, ownership: ownership)
        input = readsTerminal ? .terminal : .pipe
    }

    /// The time on the clock at which the model next needs the message `clock`; nil if it waits for nothing.
    var deadline: Double? {
        let sample = isRunning ? (model.live.sampledAt ?? now) + Self.sampling : nil
        var end: Double?
        if case .idle(let since) = input { end = since + Self.eventWait }
        return [sample, events.deadline, troubles.deadline, summaryDue, end].compactMap { $0 }.min()
    }

    var wantsProgress: Bool { isRunning && model.live.wantsSamples(at: now, every: Self.sampling) }

    mutating func update(_ message: PlainMessage) -> [PlainEffect] {
        switch message {
        case .typed where model.isLoading, .inputEnded where model.isLoading: early.append(message)
        default: handle(message)
        }
        if !model.isLoading, !early.isEmpty {
            for message in early { handle(message) }
            early = []
        }
        waitForTheRest()
        defer { effects = [] }
        return effects
    }

    private mutating func handle(_ message: PlainMessage) {
        switch message {
        case .opened(let reason): open(because: reason)
        case .clock(let clock): advance(to: clock)
        case .progress(let samples): _ = model.update(.progress(samples))
        case .news(let message): take(message)
        case .typed(let line): take(line)
        case .inputEnded: endInput()
        case .idle: input = .idle(since: now)
        case .ended(let outcome): finish(outcome)
        }
    }

    mutating func say(_ line: String) {
        let safe = SafeText(line).truncated(to: Self.longestLine, ellipsis: "...")
        effects.append(.print(safe.text))
    }

    mutating func say(_ lines: [String]) { for line in lines { say(line) } }

    mutating func send(_ effect: Effect) { effects.append(.send(effect)) }

    /// Prints the pending events and `farewell`, then ends the line mode.
    mutating func finish(_ outcome: ScreenOutcome, saying farewell: String? = nil) {
        say(events.finish() + troubles.finish() + [farewell].compactMap { $0 })
        effects.append(.finish(outcome))
    }

    private var now: Double { model.clock.seconds }

    private var isRunning: Bool { !model.table.running.isEmpty && !model.isEngineGone }

    private mutating func open(because reason: String?) {
        let why = reason.map { ", because \($0)" } ?? ""
        say("ferry in plain lines\(why)\(input == .terminal ? "; help lists the commands" : "")")
    }

    private mutating func advance(to clock: Clock) {
        _ = model.update(.clock(clock))
        say(events.advance(to: now) + troubles.advance(to: now))
        if let summaryDue, now >= summaryDue {
            say(model.summary)
            self.summaryDue = now + Self.summaryInterval
        }
    }

    private mutating func take(_ message: Message) {
        switch message {
        case .queue(let update): take(update)
        case .previewed(let selection, _, let number): take(selection, number: number)
        case .replied(let reply, _): take(reply)
        case .queueEnded:
            _ = model.update(message)
            finish(.quitWhenIdle)
        default: break
        }
    }

    private mutating func take(_ update: QueueUpdate) {
        let isFirst = model.isLoading
        _ = model.update(.queue(update))
        if isFirst, !model.isLoading { say(model.overview) }
        var uploads: [UploadEvent] = []
        for event in detector.take(update, at: model.clock.date) {
            switch event {
            case .upload(let event): uploads.append(model.event(event.kind, event.upload))
            // Events from before this process attached to the engine are in the engine's log.
            case .status(.happened) where isFirst && model.ownership == .attached: break
            case .status(let change):
                say(change.sentence(at: model.clock.date, in: model.appearance.zone))
            case .idle: break
            }
        }
        say(events.add(uploads.filter { !$0.kind.isTrouble }, now: now))
        say(troubles.add(uploads.filter(\.kind.isTrouble), now: now))
        if !isRunning {
            summaryDue = nil
        } else if summaryDue == nil {
            summaryDue = now + Self.summaryInterval
        }
    }

    /// Ends the line mode after the end of a pipe, once all commands are carried out and the queue is idle.
    private mutating func waitForTheRest() {
        switch input {
        case .ended where awaited.isEmpty && additions.isEmpty && !model.isLoading:
            input = .waitingForIdle
            effects.append(.waitUntilIdle)
        case .idle(let since) where !model.hasWork || now >= since + Self.eventWait:
            finish(.quitWhenIdle, saying: "nothing is left to run")
        case .terminal, .pipe, .ended, .waitingForIdle, .idle: break
        }
    }
}

/// The events that the line mode handles.
enum PlainMessage: Sendable {
    /// The line mode began; `because` is why there is no screen, unless the user asked for lines.
    case opened(because: String?)
    case clock(Clock)
    case progress([ProgressSample])
    /// A message from the queue or from the search for files.
    case news(Message)
    case typed(LineSplitter.Line)
    case inputEnded
    case idle
    /// A signal or another part of the program ends the line mode.
    case ended(ScreenOutcome)
}

/// An action outside of the line mode's model. `PlainScreen` performs it.
enum PlainEffect: Sendable {
    case print(String)
    case send(Effect)
    case waitUntilIdle
    case finish(ScreenOutcome)
}
