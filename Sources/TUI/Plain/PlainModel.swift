import FerryProtocols
import FerryTransfer
import FerryUploads

/// The line mode: the model of the screen, with lines in place of frames and typed commands in place of keys.
///
/// A value like that one: no terminal, no clock, no queue. What is printed is safe for every terminal.
struct PlainModel: Sendable {
    /// What of the commands that are typed can still come.
    enum Input: Hashable, Sendable {
        /// A person types: the end of input is a way to leave.
        case terminal
        case pipe
        /// All commands have come. It goes on until they are carried out.
        case ended
        /// The queue is asked to say when nothing is left to run.
        case waitingForIdle
        /// Over when the last news of it is told. What cannot be run, as on a full disk, is not waited for.
        case idle(since: Double)
    }

    /// What the next line may be an answer to.
    enum Question: Hashable, Sendable {
        case quit
        case removal(UploadSelection)
        case undo(Int)
    }

    /// What is told when the queue has carried out a command, where the news of the uploads do not tell it.
    struct Answer: Hashable, Sendable {
        var changed: String?
        /// If nothing was to be changed.
        var unchanged: String?
        /// Before what was undone or done again.
        var reversed: String?
        /// How many files were to be added.
        var files: Int?
        /// An order that changes nothing in some states.
        var steering: Steering?
    }

    struct Steering: Hashable, Sendable {
        var order: UnchangedNotes.Order
        var selection: UploadSelection
    }

    struct Addition: Hashable, Sendable {
        var paths: String
        var destination: String
        let number: Int
    }

    /// Never drawn: its tables and sums are what is told of.
    var model: Model
    var input: Input
    var question: Question?
    /// For the commands that the queue has not answered yet, in order.
    var awaited: [Answer] = []
    /// Files to be added; of the first it is being found out what they are.
    var additions: [Addition] = []

    private var watch = StatusWatch()
    private var events = NewsDigest(names: false)
    private var troubles = NewsDigest(names: true)
    private var summaryDue: Double?
    private var effects: [PlainEffect] = []
    /// What was typed before it was known what is in the queue: it cannot be answered rightly yet.
    private var early: [PlainMessage] = []

    /// Seconds between the lines that tell how it goes.
    static let summaryInterval = 10.0
    /// Seconds between samples of the running uploads.
    private static let sampling = 1.0
    /// Seconds that news take at most from the queue to here.
    private static let lastNews = 1.0
    /// Nobody reads a longer line.
    private static let longestLine = 2000

    init(
        destinations: [String], defaultDestination: String?, readsTerminal: Bool, clock: Clock,
        tie: EngineTie = .own
    ) {
        model = Model(
            appearance: Appearance(glyphs: Glyphs(isUnicode: false)), destinations: destinations,
            defaultDestination: defaultDestination, hasMouse: false, clock: clock, tie: tie)
        input = readsTerminal ? .terminal : .pipe
    }

    /// When something is to be told although nothing happens, on the clock; nil if never.
    var deadline: Double? {
        let sample = isRunning ? (model.sampledAt ?? now) + Self.sampling : nil
        var end: Double?
        if case .idle(let since) = input { end = since + Self.lastNews }
        return [sample, events.deadline, troubles.deadline, summaryDue, end].compactMap { $0 }.min()
    }

    /// True if the progress of the running uploads should be asked for.
    var wantsProgress: Bool {
        isRunning && (model.sampledAt.map { now - $0 >= Self.sampling - 0.005 } ?? true)
    }

    /// Takes in what happened and returns what is to be done outside.
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
        case .told(let message): take(message)
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

    mutating func order(_ order: Order) { effects.append(.order(order)) }

    /// With a last word after all that was not told yet.
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
        case .previewed(let selection, let number): take(selection, number: number)
        case .replied(let reply, _): take(reply)
        case .queueEnded:
            _ = model.update(message)
            finish(.quitWhenIdle)
        case .clock, .resized, .key, .clicked, .progress, .listed, .completed, .destinations, .stray,
            .cannotSuspend:
            break
        }
    }

    private mutating func take(_ update: QueueUpdate) {
        let isFirst = model.isLoading
        let kinds = kinds(of: update)
        // They are gone when the update has been taken in.
        let gone = update.removed.compactMap { model.table[$0] }.filter(\.state.isUnfinished)
        _ = model.update(.queue(update))
        if isFirst { say(model.overview) }
        for change in watch.take(update.status) {
            // What happened before somebody came to an engine that runs is in its log.
            if isFirst, model.tie == .attached, case .happened = change { continue }
            say(change.sentence(at: model.clock.date, in: model.appearance.zone))
        }
        let news =
            kinds.compactMap { id, kind in model.table[id].map { model.news(kind, $0) } }
            + gone.map { model.news(.removed, $0) }
        say(events.add(news.filter { !$0.kind.isTrouble }, now: now))
        say(troubles.add(news.filter(\.kind.isTrouble), now: now))
        if !isRunning {
            summaryDue = nil
        } else if summaryDue == nil {
            summaryDue = now + Self.summaryInterval
        }
    }

    /// What becomes of uploads by an update that has not been taken in. At first only what runs is news, and what a person
    /// should see to.
    private func kinds(of update: QueueUpdate) -> [(Upload.ID, News.Kind)] {
        let isFirst = model.isLoading
        var isOffline = false
        if case .offline = update.status.network { isOffline = true }
        return update.changed.sorted { $0.id < $1.id }.compactMap { upload in
            if isFirst {
                switch upload.state {
                case .running, .waiting, .held, .failed: break
                case .queued, .paused, .done: return nil
                }
            }
            return News.Kind(from: model.table[upload.id], to: upload, isOffline: isOffline)
                .map { (upload.id, $0) }
        }
    }

    /// When no more commands can come and all are carried out: until nothing is left to run.
    private mutating func waitForTheRest() {
        switch input {
        case .ended where awaited.isEmpty && additions.isEmpty && !model.isLoading:
            input = .waitingForIdle
            effects.append(.waitUntilIdle)
        case .idle(let since) where !model.hasWork || now >= since + Self.lastNews:
            finish(.quitWhenIdle, saying: "nothing is left to run")
        case .terminal, .pipe, .ended, .waitingForIdle, .idle: break
        }
    }
}
