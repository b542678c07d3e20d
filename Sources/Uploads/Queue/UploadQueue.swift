public import FerryConnectivity
import FerryProtocols
public import FerryTransfer
import Synchronization

/// The queue of uploads, and the only owner of their states.
///
/// A change of an upload is made in memory and appended to the journal. The queue publishes the change when the journal
/// has reported the result. Some changes that a crash can lose without harm, such as the end of a wait, are published
/// without a record.
///
/// Uploads are added and removed in memory only after the journal has written the change. If the journal refuses a
/// command of a user, the queue undoes the command. Any other change, such as the end of an upload, stays in memory and
/// is appended again as soon as the disk allows.
///
/// `QueueCore`, a value, makes the decisions. This actor owns the journal, the runner, the clocks and the tasks. It
/// passes events to the core and performs the core's effects in sequence.
public actor UploadQueue: QueueClient {
    struct Tasks {
        var runs: [Upload.ID: (number: Int, task: Task<Void, Never>)] = [:]
        var probes: [Int: Task<Void, Never>] = [:]
        var discards: [Int: Task<Void, Never>] = [:]
        var lastDiscard = 0
        /// The tasks that pass on the reports of the link monitor, the suspension monitor and the journal.
        var reporters: [Task<Void, Never>] = []
        var timer: Task<Void, Never>?
        var retiring: Task<Void, Never>?
    }

    /// The replies that callers wait for.
    struct Replies {
        typealias Waiter = CheckedContinuation<Result<TransactionResult, UploadFailure>, Never>

        var waiters: [ReplyID: Waiter] = [:]
        var last: ReplyID = 0
        /// The callers that wait until another call of `saveDirty` returns; nil while no call runs.
        var ofSaving: [CheckedContinuation<Void, Never>]?
    }

    var core: QueueCore
    let journal: any Journal
    let history: UploadHistory?
    let runner: any AttemptRunner
    let clock: QueueClock
    let probe: @Sendable (UploadHost) async -> Reachability
    let environment: QueueEnvironment
    let rateLimit: RateLimit
    nonisolated let progressStore: ProgressStore
    nonisolated let listeners = UpdateListeners()
    nonisolated let appendResults = AppendResults()
    nonisolated let lastNotice = Atomic(0)
    /// The effects of the core that are not performed yet.
    var effects: [CoreEffect] = []
    var isPerforming = false
    var replies = Replies()
    var tasks = Tasks()
    var order = CommandOrder()
    var idleWaiters: [CheckedContinuation<Void, Never>] = []

    /// Creates a queue, which is empty until `open` or `start` loads it.
    ///
    /// - Parameters:
    ///   - history: The history of done uploads. If it is nil, all done uploads stay in the queue.
    ///   - rateLimit: The limit of the runner's transfers; the queue sets its rates.
    ///   - readers: The threads that read the new versions of changed files, as reading can block on a slow volume.
    ///   - probe: Tries to connect to a host that uploads could not reach.
    public init(
        configuration: Configuration = Configuration(), journal: any Journal,
        history: UploadHistory? = nil, runner: any AttemptRunner,
        rateLimit: RateLimit = RateLimit(), readers: BlockingIOPool = .shared, clock: QueueClock = .system,
        probe: @escaping @Sendable (UploadHost) async -> Reachability = UploadQueue.connect
    ) {
        self.init(
            configuration: configuration, journal: journal, history: history, runner: runner,
            rateLimit: rateLimit, clock: clock, probe: probe, environment: .system(readers))
    }

    package init(
        configuration: Configuration, journal: any Journal, history: UploadHistory?,
        runner: any AttemptRunner, rateLimit: RateLimit, clock: QueueClock,
        probe: @escaping @Sendable (UploadHost) async -> Reachability, environment: QueueEnvironment
    ) {
        self.journal = journal
        self.history = history
        self.runner = runner
        self.rateLimit = rateLimit
        self.clock = clock
        self.probe = probe
        self.environment = environment
        let progressStore = ProgressStore(clock: clock.now)
        self.progressStore = progressStore
        core = QueueCore(
            configuration: configuration,
            lookups: QueueLookups(
                host: { runner.host(of: $0) }, resumes: { runner.resumes($0) },
                progress: { progressStore.progress(of: $0) }, random: environment.random),
            limits: LimitSchedule(zone: clock.zone),
            now: Moment(instant: clock.now(), date: clock.date()))
    }

    /// Tries a TCP connection to the host, or to its proxy if it has one.
    public static let connect: @Sendable (UploadHost) async -> Reachability = { host in
        let name = host.proxy?.host ?? host.name
        let port = host.proxy.flatMap { UInt16(exactly: $0.port) } ?? host.port
        return (try? await DestinationProbe().check(host: name, port: port)) ?? .timedOut
    }

    var now: Moment { Moment(instant: clock.now(), date: clock.date()) }
}

// Starting and stopping.
extension UploadQueue {
    /// Loads the queue without starting uploads, for commands that only change it.
    ///
    /// - Returns: The repairs that recovery made in the queue's files, for users.
    /// - Throws: `JournalError` if the queue cannot be read; it then stays empty.
    public func open() throws(JournalError) -> [RecoveryNotice] {
        var recovered = try journal.load()
        perform(core.restore(&recovered, at: now))
        return recovered.notices
    }

    /// Loads the queue and starts the uploads that can start.
    ///
    /// - Parameters:
    ///   - monitor: Reports when the network goes and returns; nil assumes that it is always up.
    ///   - suspensions: Reports when the machine has slept.
    /// - Returns: The repairs that recovery made in the queue's files, for users.
    /// - Throws: `JournalError` if the queue cannot be read; it then stays empty.
    @discardableResult
    public func start(
        monitor: (any LinkMonitor)?, suspensions: SuspensionMonitor? = nil
    ) throws(JournalError) -> [RecoveryNotice] {
        let notices = try open()
        send(.started(awaitsLink: monitor?.holdsUntilKnown ?? false))
        completeHistory()
        report(journal.conditions()) { .journalReported($0) }
        if let monitor {
            report(monitor.statuses()) { status in
                guard case .down(let reason) = status else { return .link(status, isForbidden: false) }
                return .link(status, isForbidden: monitor.forbidsNetwork(because: reason))
            }
        }
        if let suspensions = suspensions?.suspensions() { report(suspensions) { _ in .slept } }
        return notices
    }

    /// Passes each element of a stream to the core.
    private func report<Element: Sendable>(
        _ stream: AsyncStream<Element>, as event: @escaping @Sendable (Element) -> CoreEvent
    ) {
        tasks.reporters.append(
            Task(executorPreference: environment.executor) { [weak self] in
                for await element in stream { await self?.send(event(element)) }
            })
    }

    /// Stops all attempts, writes a complete snapshot and ends every stream of updates.
    ///
    /// Running uploads are queued again and resume at the next start. A second call returns at once, even while the
    /// first still runs.
    public func stop() async {
        guard core.phase != .stopped else { return }
        send(.stop)
        for task in tasks.reporters { task.cancel() }
        for task in tasks.probes.values { task.cancel() }
        let ending = tasks.runs.values.map(\.task)
        for task in ending { task.cancel() }
        for task in ending { await task.value }
        send(.endRemovals)
        await finishDiscards()
        await saveDirty()
        while let task = tasks.retiring { await task.value }
        await history?.close()
        let error: JournalError?
        do throws(JournalError) {
            try await journal.close()
            error = nil
        } catch let failure {
            error = failure
        }
        send(.journalClosed(error))
        listeners.finish()
        wakeIdleWaiters()
    }

    /// Waits for deletions at servers, but at most 3 seconds: a server that hangs must not delay the end.
    private func finishDiscards() async {
        let tasks = Array(tasks.discards.values)
        guard !tasks.isEmpty else { return }
        let limit = Task(executorPreference: environment.executor) { [clock] in
            guard (try? await clock.sleep(clock.now().advanced(by: .seconds(3)))) != nil else { return }
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        limit.cancel()
    }

    /// Returns when no attempt runs, and none will start unless a user acts. Each upload is then done, failed, held or
    /// paused by a user, or is to start after an upload that needs a user.
    ///
    /// If only a user can repair the disk, or if the queue was asked to finish (`stopWhenIdle`), returns as soon as no
    /// attempt runs. Returns at once if the queue was only opened, or has stopped.
    public func waitUntilIdle() async {
        guard !core.isIdle else { return }
        await withCheckedContinuation { idleWaiters.append($0) }
    }

    /// Returns when the queue was asked to finish (`stopWhenIdle`) and no attempt runs, or when the queue stops.
    public func waitUntilFinished() async {
        while !core.isFinished { await withCheckedContinuation { idleWaiters.append($0) } }
    }

    func wakeIdleWaiters() {
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }
}

// The queue as others see it.
extension UploadQueue {
    /// Every upload, sorted by rank.
    public var all: [Upload] { core.all(at: now) }

    /// Returns the uploads for which `isMeant` is true, sorted by rank.
    package func all(where isMeant: @Sendable (Upload) -> Bool) -> [Upload] {
        core.all(at: now, where: isMeant)
    }

    /// Every upload, sorted by rank, and the totals of the uploads that this engine finished and that left the queue.
    public var everything: (uploads: [Upload], retired: Retired) { (all, retired) }

    /// The totals of the uploads that this engine finished and that only the history still contains.
    public var retired: Retired { core.archive.retired }

    /// The uploads that had failed or were held when the engine started.
    public var failedBefore: Set<Upload.ID> { core.archive.failedBefore }

    /// The uploads that were done before the engine started, and have not finished again since.
    public var doneBefore: Set<Upload.ID> { core.archive.doneBefore }

    public nonisolated func progress() -> [ProgressSample] { progressStore.samples(rateLimit.rates) }

    /// Returns the rate of all uploads together, and their remaining time.
    ///
    /// - Parameter left: The unsent bytes of the uploads that run, or that start without an action of a user.
    package nonisolated func estimate(of left: RemainingBytes) -> TransferEstimate {
        progressStore.total(left: left, rateLimit.rates)
    }

    public func updates() -> AsyncStream<QueueUpdate> {
        listeners.add(uploads: core.shownTable(at: now), status: status)
    }

    /// The status of the queue as a whole; also available after `stop`.
    public var status: EngineStatus { core.status(at: now) }

    /// Returns the non-nil results of `body`, unsorted. `body` gets the uploads with the states that clients see.
    ///
    /// `.ids` and `.numbers` pass only their uploads to `body`, and none if one of them is unknown. Every other
    /// selection passes all uploads of the queue, and `body` must check the selection itself. This avoids a copy of the
    /// queue.
    package func compactMap<Result: Sendable>(
        among selection: UploadSelection, _ body: @Sendable (Upload) -> Result?
    ) -> [Result] {
        switch selection {
        case .ids, .numbers: return current((try? core.ids(selection)) ?? []).compactMap(body)
        case .all, .failed, .done, .batch:
            return core.compactMap(at: now, body)
        }
    }

    /// Returns the uploads with these ids, with the states that clients see. Leaves out ids that are not in the queue.
    package func current(_ ids: some Sequence<Upload.ID>) -> [Upload] {
        ids.compactMap { id in core.uploads[id].map { core.shown($0, at: now) } }
    }

    package func inspect() -> QueueInspection { QueueInspection(core, at: now) }
}

// Reports to the queue from outside.
extension UploadQueue {
    /// Applies another configuration from now on, for queued uploads too. Limits that commands have set take
    /// precedence. Running attempts keep the runner's settings with which they began. The new bandwidth limits and
    /// retry rules apply to them too.
    ///
    /// - Parameter change: Changes the runner's settings in the same step.
    public func apply(_ configuration: Configuration, with change: @Sendable () -> Void = {}) {
        let waiting = core.hostsOfWaiting
        change()
        send(.configured(configuration, waiting: waiting))
    }

    /// Sends a notice, such as one about a watched folder, to all clients that follow the queue's updates.
    public nonisolated func tell(_ notice: Notice) {
        let number = lastNotice.add(1, ordering: .relaxed).newValue
        let dated = DatedNotice(notice, at: clock.date())
        Task(executorPreference: environment.executor) { await self.send(.noticed(dated, number: number)) }
    }

    /// Reports the missing watched folders to all clients that follow the queue's updates.
    ///
    /// - Parameter folders: The paths of the folders, for display.
    public func setAwayFolders(_ folders: [String]) { send(.awayFolders(folders)) }
}
