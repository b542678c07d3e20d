public import FerryConnectivity
import FerryProtocols
public import FerryTransfer
import Synchronization

/// The one owner of every upload.
///
/// A change is made in memory, appended to the journal and only then published and acted upon. Commands of people are
/// undone and refused if the journal cannot take them; what the engine itself finds out stays true in memory and is
/// appended again as soon as the disk allows.
///
/// The decisions are made by `QueueCore`, a value. This actor is its shell: it owns the journal, the runner, the clocks
/// and the tasks, tells the core what happens, and does what the core answers, in order.
public actor UploadQueue: QueueClient {
    /// The tasks under way.
    struct Tasks {
        var runs: [Upload.ID: (number: Int, task: Task<Void, Never>)] = [:]
        var probes: [Int: Task<Void, Never>] = [:]
        var discards: [Int: Task<Void, Never>] = [:]
        var lastDiscard = 0
        /// The tasks that report to the queue: link, sleep, journal.
        var reporters: [Task<Void, Never>] = []
        var timer: Task<Void, Never>?
        var retiring: Task<Void, Never>?
    }

    /// The answers that somebody waits for.
    struct Replies {
        typealias Waiter = CheckedContinuation<Result<TransactionResult, UploadFailure>, Never>

        var waiters: [ReplyID: Waiter] = [:]
        var last: ReplyID = 0
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
    var idleWaiters: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - history: Where uploads that are done are noted; nil keeps no history, and all of them in the queue.
    ///   - rateLimit: The limit that the runner's transfers go by; the queue sets its rates.
    ///   - readers: The threads that wait for the media of files that are tried again.
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

    /// Tries a TCP connection to the host, or to the proxy on the way there.
    public static let connect: @Sendable (UploadHost) async -> Reachability = { host in
        let name = host.proxy?.host ?? host.name
        let port = host.proxy.flatMap { UInt16(exactly: $0.port) } ?? host.port
        return (try? await DestinationProbe().check(host: name, port: port)) ?? .timedOut
    }

    var now: Moment { Moment(instant: clock.now(), date: clock.date()) }
}

// Start and stop.
extension UploadQueue {
    /// Reads the queue back without starting anything, for commands that only change it.
    ///
    /// - Returns: What recovery had to put right, for people.
    /// - Throws: `JournalError` if the queue cannot be read; then nothing has been changed.
    public func open() throws(JournalError) -> [RecoveryNotice] {
        var recovered = try journal.load()
        perform(core.restore(&recovered, at: now))
        return recovered.notices
    }

    /// Reads the queue back and starts what may start.
    ///
    /// - Parameters:
    ///   - monitor: Tells when the network goes and returns; nil takes it to be always there.
    ///   - suspensions: Tells when the machine slept.
    /// - Returns: What recovery had to put right, for people.
    /// - Throws: `JournalError` if the queue cannot be read; then nothing has been changed.
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

    /// Tells the core of each element of a stream.
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
    /// What ran is queued again and goes on next time. Safe to call twice.
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

    /// Waits a little for what is being deleted at servers: a server that hangs must not keep us.
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

    /// Returns when nothing runs and nothing will: all is done, failed, held or paused by a person. Returns too when
    /// the queue was told to finish and nothing runs any more.
    public func waitUntilIdle() async {
        guard !core.isIdle else { return }
        await withCheckedContinuation { idleWaiters.append($0) }
    }

    /// Returns when the queue has been told to finish (`stopWhenIdle`) and nothing runs any more, or when it has stopped.
    public func waitUntilFinished() async {
        while !core.isFinished { await withCheckedContinuation { idleWaiters.append($0) } }
    }

    func wakeIdleWaiters() {
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }
}

// What others see.
extension UploadQueue {
    /// Every upload, in the order of the queue.
    public var all: [Upload] { core.all(at: now) }

    /// Every upload in the order of the queue, and what this engine finished that is no longer in it.
    public var everything: (uploads: [Upload], retired: Retired) { (all, retired) }

    /// The uploads that this engine finished and that are in the history alone.
    public var retired: Retired { core.archive.retired }

    /// The uploads that had failed or were held when the engine started.
    public var failedBefore: Set<Upload.ID> { core.archive.failedBefore }

    /// The done uploads in the queue that were done before the engine started, and not again since.
    public var doneBefore: Set<Upload.ID> { core.archive.doneBefore }

    public nonisolated func progress() -> [ProgressSample] { progressStore.samples(rateLimit.rates) }

    /// Returns the rate of all uploads together, and the time that they still need.
    ///
    /// - Parameter left: What those that are due have not sent yet.
    package nonisolated func estimate(of left: RemainingBytes) -> TransferEstimate {
        progressStore.total(left: left, rateLimit.rates)
    }

    public func updates() -> AsyncStream<QueueUpdate> {
        listeners.add(uploads: core.shownTable(at: now), status: status)
    }

    /// The status of the queue as a whole, after `stop` too.
    public var status: EngineStatus { core.status(at: now) }

    /// Maps the uploads as they are shown, in no order, without a copy of them all.
    package func compactMap<Result: Sendable>(_ body: @Sendable (Upload) -> Result?) -> [Result] {
        let now = now
        return core.uploads.values.compactMap { body(core.shown($0, at: now)) }
    }

    /// Uploads as they are now; without those that are not in the queue.
    package func current(_ ids: some Sequence<Upload.ID>) -> [Upload] {
        ids.compactMap { id in core.uploads[id].map { core.shown($0, at: now) } }
    }

    package func inspect() -> QueueInspection { QueueInspection(core, at: now) }
}

// What others tell it.
extension UploadQueue {
    /// Goes by another configuration from now on, for uploads that are queued too. What somebody ordered holds over it,
    /// as it does after a start; attempts that run end as they began.
    ///
    /// - Parameter change: Changes what the runner goes by, in the same moment for all that the queue does.
    public func apply(_ configuration: Configuration, with change: @Sendable () -> Void = {}) {
        let waiting = core.hostsOfWaiting
        change()
        send(.configured(configuration, waiting: waiting))
    }

    /// Tells all who follow the queue something that happened beside it, as in a watched folder.
    public nonisolated func tell(_ notice: Notice) {
        let number = lastNotice.add(1, ordering: .relaxed).newValue
        let dated = DatedNotice(notice, at: clock.date())
        Task(executorPreference: environment.executor) { await self.send(.noticed(dated, number: number)) }
    }

    /// Tells all who follow the queue which watched folders are not there.
    ///
    /// - Parameter folders: As they are shown to people.
    public func setAwayFolders(_ folders: [String]) { send(.awayFolders(folders)) }
}
