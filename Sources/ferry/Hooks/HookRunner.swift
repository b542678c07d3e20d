import FerryTUI
import FerryTransfer
import FerryUploads
import Foundation

/// Runs the commands hooked to what happens in a queue. Whoever has the engine has one of these, so that each event is
/// told once; what happened while no engine ran, or was killed, is told to nobody.
///
/// The queue never waits for a command, and nothing that a command does fails an upload.
actor HookRunner {
    private static let atOnce = 4
    /// A folder full of small files arrives faster than a command runs for each.
    private static let capacity = 10_000
    /// What running commands get when the engine stops.
    static let patience = Duration.seconds(3)

    private static let passedOn = [
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_*", "TZ", "XDG_RUNTIME_DIR",
        "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY",
    ]

    private let settings: HookSettings
    private let queue: any QueueClient
    private let note: @Sendable (String) -> Void
    private var watch = QueueWatch()
    /// Nil if the desktop is not to be told anything, or cannot be.
    private var digest: CallDigest?
    private let started = ContinuousClock.now
    private var backlog = HookBacklog(capacity: capacity)
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var follower: Task<Void, Never>?
    /// What an earlier follower still brings is older than what was taken in since.
    private var lastFollower = 0
    private var quietWaiters: [CheckedContinuation<Void, Never>] = []
    private var dropped = 0
    /// True if commands were begun since somebody last waited for them.
    private var hasBegun = false
    private var isStopping = false

    /// - Parameter note: Takes what went wrong, a line at a time.
    init(
        _ settings: HookSettings, _ notify: NotifySettings, queue: any QueueClient,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        if notify.desktop, NotifySettings.desktopFlaw == nil { digest = CallDigest(notify.call.events) }
        self.queue = queue
        self.note = note
    }

    /// Runs commands for what happens from now on.
    ///
    /// - Parameter updates: From the moment on at which the queue started.
    func follow(_ updates: AsyncStream<QueueUpdate>) {
        follower?.cancel()
        lastFollower += 1
        follower = Task { [weak self, number = lastFollower] in
            for await update in updates { await self?.take(update, from: number) }
        }
    }

    /// Returns when the commands of all that has happened have ended.
    ///
    /// - Returns: True if commands were run since the last time: they may have given the queue something to do.
    func finish() async -> Bool {
        await catchUp()
        await waitUntilQuiet()
        defer { hasBegun = false }
        return hasBegun && !isStopping
    }

    /// Ends what does not end by itself in a moment.
    func stop() async {
        isStopping = true
        await catchUp()
        let limit = Task {
            if (try? await Task.sleep(for: Self.patience)) != nil { giveUp() }
        }
        await waitUntilQuiet()
        limit.cancel()
    }

    /// Takes in all that has happened until now, whether it was read yet or not.
    private func catchUp() async {
        follower?.cancel()
        lastFollower += 1
        let number = lastFollower
        let updates = await queue.updates()
        for await update in updates {
            take(update, from: number)
            break
        }
        if number == lastFollower, !isStopping { follow(updates) }
    }

    private func take(_ update: QueueUpdate, from follower: Int) {
        guard follower == lastFollower else { return }
        let events = watch.take(update)
        let call = digest?.take(events, at: (ContinuousClock.now - started) / .seconds(1))
        for event in events {
            let text = event == call?.event ? call?.text : nil
            guard text != nil || settings.commands[event.name] != nil else { continue }
            if !backlog.add(event, call: text) { dropped += 1 }
        }
        startCommands()
    }

    private func startCommands() {
        while backlog.runningCount < Self.atOnce, let entry = backlog.next() {
            hasBegun = true
            tasks[entry.number] = Task { [settings, note] in
                let call = entry.call.map(NotifySettings.desktopCommand)
                for command in (settings.commands[entry.event.name] ?? []) + [call].compactMap({ $0 })
                where !Task.isCancelled {
                    await Self.run(command, for: entry.event, upTo: settings.timeout, note: note)
                }
                end(entry)
            }
        }
        if dropped > 0, backlog.count == 0 {
            note("hooks: the commands of \(dropped) events were not run, as too many were waiting")
            dropped = 0
        }
        guard backlog.runningCount == 0, backlog.count == 0 else { return }
        for waiter in quietWaiters { waiter.resume() }
        quietWaiters = []
    }

    private func end(_ entry: HookBacklog.Entry) {
        tasks[entry.number] = nil
        backlog.finish(entry)
        startCommands()
    }

    private func giveUp() {
        let left = backlog.clear()
        if left > 0 { note("hooks: the commands of \(left) events were not run, as ferry ended") }
        for task in tasks.values { task.cancel() }
    }

    private func waitUntilQuiet() async {
        guard backlog.runningCount > 0 || backlog.count > 0 else { return }
        await withCheckedContinuation { quietWaiters.append($0) }
    }

    private static func run(
        _ hook: HookCommand, for event: QueueEvent, upTo limit: Double, note: (String) -> Void
    ) async {
        var environment = ChildCommand.environment(passedOn)
        environment["FERRY_EVENT"] = event.name.rawValue
        let home = LocalFiles.home
        let command = ChildCommand(
            words: [hook.program] + hook.words.dropFirst(), environment: environment,
            folder: LocalFiles.mode(of: home) == nil ? "/" : home, input: Data((event.line + "\n").utf8))
        let what: String
        do throws(ChildCommand.CannotStart) {
            guard let flaw = flaw(of: try await command.run(upTo: .seconds(limit)), limit) else { return }
            what = flaw
        } catch {
            what = "cannot be started: \(error.reason)"
        }
        let number = event.upload.map { " of upload \($0)" } ?? ""
        note("hook \(event.name.rawValue)\(number): \(hook.words[0]) \(what)")
    }

    /// What is worth a line: all but status 0.
    private static func flaw(of result: ChildCommand.Result, _ limit: Double) -> String? {
        let what: String
        switch result.ending {
        case .exited(0): return nil
        case .exited(let status): what = "ended with status \(status)"
        case .killed(by: let signal): what = "was killed by signal \(signal)"
        case .timedOut: what = "did not end in \(limit.formatted()) s and was killed"
        case .cancelled, .printedTooMuch: what = "was killed, as ferry ended"
        }
        let said = [result.complaint, result.output].map(ChildCommand.Result.lastLine).first { !$0.isEmpty }
        return what + (said.map { ": " + String(Redaction.text($0).prefix(200)) } ?? "")
    }
}
