import FerryProtocols
import FerryTransfer
import FerryUploads

/// Runs the hooks: the configured commands for events of a queue. Each engine has one runner, so that the hooks of an
/// event run once. The queue never waits for a hook, and no upload fails because of one.
actor HookRunner: QueueFollower {
    private static let atOnce = 4
    /// The capacity of the backlog, because a folder of small files produces events faster than hooks run.
    private static let capacity = 10_000
    static let stopTimeout = Duration.seconds(3)

    private static let passedOn = [
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_*", "TZ", "XDG_RUNTIME_DIR",
        "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY",
    ]

    private let settings: HookSettings
    private let queue: any QueueClient
    private let note: @Sendable (String) -> Void
    private var detector = QueueEventDetector()
    /// Limits the number of desktop notifications; nil if desktop notifications are off or impossible.
    private var throttle: NotificationThrottle?
    private let started = ContinuousClock.now
    private var backlog = HookBacklog(capacity: capacity)
    private var tasks: [Int: Task<Void, Never>] = [:]
    /// The task that reads the queue's updates. `follow` starts it when the engine starts.
    var following = FollowingTask()
    private var quietWaiters: [CheckedContinuation<Void, Never>] = []
    private var dropped = 0
    private var hasBegun = false
    private var isStopping = false

    /// - Parameter note: Receives the errors of hooks, one line at a time.
    init(
        _ settings: HookSettings, _ notify: NotifySettings, queue: any QueueClient,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        if notify.desktop, NotifySettings.desktopIssue == nil {
            throttle = NotificationThrottle(notify.events)
        }
        self.queue = queue
        self.note = note
    }

    /// Waits until the hooks of all events so far have ended. Returns true if one has started since the last call: the
    /// caller then waits for the queue again, because the hook may have added uploads. False after `stop` was called.
    func finish() async -> Bool {
        await catchUp(with: queue)
        await waitUntilQuiet()
        defer { hasBegun = false }
        return hasBegun && !isStopping
    }

    /// Waits for the hooks of all events so far. After `stopTimeout`, kills running hooks and drops waiting events.
    func stop() async {
        isStopping = true
        await catchUp(with: queue)
        let limit = Task {
            if (try? await Task.sleep(for: Self.stopTimeout)) != nil { giveUp() }
        }
        await waitUntilQuiet()
        limit.cancel()
    }

    var goesOnFollowing: Bool { !isStopping }

    func take(_ update: QueueUpdate) {
        let events = detector.take(update)
        let due = throttle?.take(events, at: (ContinuousClock.now - started) / .seconds(1))
        for event in events {
            guard let name = event.name else { continue }
            let text = event == due?.event ? due?.text : nil
            guard text != nil || settings.commands[name] != nil else { continue }
            if !backlog.add(event, name, notification: text) { dropped += 1 }
        }
        startCommands()
    }

    private func startCommands() {
        while backlog.runningCount < Self.atOnce, let entry = backlog.next() {
            hasBegun = true
            tasks[entry.number] = Task { [settings, note] in
                let notification = entry.notification.map(NotifySettings.desktopCommand)
                for command in (settings.commands[entry.name] ?? []) + [notification].compactMap({ $0 })
                where !Task.isCancelled {
                    await Self.run(command, for: entry, upTo: settings.timeout, note: note)
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
        if left > 0 { note("hooks: the commands of \(left) events were not run, as the engine ended") }
        for task in tasks.values { task.cancel() }
    }

    private func waitUntilQuiet() async {
        guard backlog.runningCount > 0 || backlog.count > 0 else { return }
        await withCheckedContinuation { quietWaiters.append($0) }
    }

    private static func run(
        _ hook: HookCommand, for entry: HookBacklog.Entry, upTo limit: Double, note: (String) -> Void
    ) async {
        let number = entry.event.upload.map { " of upload \($0)" } ?? ""
        let start = "hook \(entry.name.rawValue)\(number): \(hook.words[0])"
        do throws(UploadFailure) { try FileTrust.check(hook.files(at: entry.name)) } catch {
            return note("\(start) was not run: \(error.summary)" + (error.hint.map { "; \($0)" } ?? ""))
        }
        var environment = ChildCommand.environment(passedOn)
        environment["FERRY_EVENT"] = entry.name.rawValue
        let command = ChildCommand(
            words: [hook.program] + hook.words.dropFirst(), environment: environment,
            folder: LocalFiles.commandFolder, input: Data((entry.line + "\n").utf8))
        let what: String
        do throws(ChildCommand.CannotStart) {
            guard let issue = issue(of: try await command.run(upTo: .seconds(limit)), limit) else { return }
            what = issue
        } catch {
            what = "cannot be started: \(error.reason)"
        }
        note("\(start) \(what)")
    }

    /// Returns the text about a failed hook for the log; nil for exit status 0.
    private static func issue(of result: ChildCommand.Result, _ limit: Double) -> String? {
        let what: String
        switch result.ending {
        case .exited(0): return nil
        case .exited(let status): what = "ended with status \(status)"
        case .killed(by: let signal): what = "was killed by signal \(signal)"
        case .timedOut: what = "did not end in \(DurationArgument(seconds: limit)) s and was killed"
        case .cancelled, .printedTooMuch: what = "was killed, as the engine ended"
        }
        let said = [result.complaint, result.output].map(ChildCommand.Result.lastLine).first { !$0.isEmpty }
        return what + (said.map { ": " + String(Redaction.text($0).prefix(200)) } ?? "")
    }
}
