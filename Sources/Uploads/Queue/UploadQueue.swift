public import FerryConnectivity
import FerryProtocols
public import FerryTransfer
import Synchronization

/// The queue of uploads. Only this actor changes the states of its uploads.
///
/// Clients see a change once the journal has reported the result of the write. Some changes are not written, because a
/// crash can lose them without harm, such as the end of a wait for a retry. Uploads are added and removed in memory
/// only after the journal has written the change.
///
/// If the journal refuses a command, the queue undoes it in memory. Any other refused change, such as the end of an
/// upload, stays in memory, and is written again as soon as the disk allows.
///
/// `QueueCore`, a value, makes the decisions. This actor passes events to it, and performs the effects that it returns.
public actor UploadQueue: QueueClient {
    struct Tasks {
        var runs: [Upload.ID: (number: Int, task: Task<Void, Never>)] = [:]
        var probes: [Int: Task<Void, Never>] = [:]
        var roundTrips: [UploadHost: Task<Void, Never>] = [:]
        var discards: [Int: Task<Void, Never>] = [:]
        var lastDiscard = 0
        /// The tasks that pass reports of monitors and the journal to the core.
        var reporters: [Task<Void, Never>] = []
        var timer: Task<Void, Never>?
        var retiring: Task<Void, Never>?
    }

    /// The callers that wait for a reply of the core, or for the end of `saveDirty`.
    struct Replies {
        typealias Waiter = CheckedContinuation<Result<TransactionResult, UploadFailure>, Never>

        var waiters: [ReplyID: Waiter] = [:]
        var last: ReplyID = 0
        /// The callers that wait for a running call of `saveDirty`; nil if none runs.
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
    /// The results of journal appends, which the journal adds without waiting for this actor.
    nonisolated let appendResults = Mutex<[(Ticket, Result<Void, JournalError>)]>([])
    nonisolated let lastNotice = Atomic(0)
    var effects: [CoreEffect] = []
    var isPerforming = false
    var replies = Replies()
    var tasks = Tasks()
    var order = CommandOrder()
    var idleWaiters: [CheckedContinuation<Void, Never>] = []

    /// Creates an empty queue. `open` or `start` loads the uploads from the journal.
    ///
    /// - Parameters:
    ///   - history: The history of done uploads, all of which stay in the queue without one.
    ///   - rateLimit: The object that limits the bandwidth of the runner's transfers. The queue sets the limits in it.
    ///   - readers: The threads that look up changed files, which can block on a slow volume.
    ///   - probe: Checks whether a host is reachable, after uploads could not connect to the host.
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
                progress: { progressStore.progress(of: $0) }, random: environment.random,
                fewestInRanges: environment.fewestInRanges),
            limits: LimitSchedule(zone: clock.zone),
            now: Moment(instant: clock.now(), date: clock.date()))
    }

    /// Checks whether a host, or its proxy, accepts a TCP connection. A cancelled check results in `timedOut`.
    public static let connect: @Sendable (UploadHost) async -> Reachability = { host in
        let (name, port) = host.connection
        return (try? await DestinationProbe().check(host: name, port: port)) ?? .timedOut
    }

    var now: Moment { Moment(instant: clock.now(), date: clock.date()) }
}

// Starting and stopping.
extension UploadQueue {
    /// Loads the queue from the journal without starting uploads, for commands that only change it.
    ///
    /// - Returns: Notices for users about the damage in the queue's files that was repaired.
    /// - Throws: `JournalError` if the queue cannot be read. The queue then stays empty.
    public func open() throws(JournalError) -> [RecoveryNotice] {
        var recovered = try journal.load()
        perform(core.restore(&recovered, at: now))
        return recovered.notices
    }

    /// Loads the queue from the journal, and starts the uploads that can start.
    ///
    /// - Parameters:
    ///   - monitor: Reports when the network goes down and returns. Without it, the network counts as up.
    ///   - suspensions: Reports when the machine has slept.
    /// - Returns: Notices for users about the damage in the queue's files that was repaired.
    /// - Throws: `JournalError` if the queue cannot be read. The queue then stays empty.
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

    private func report<Element: Sendable>(
        _ stream: AsyncStream<Element>, as event: @escaping @Sendable (Element) -> CoreEvent
    ) {
        tasks.reporters.append(
            environment.task { [weak self] in
                for await element in stream { await self?.send(event(element)) }
            })
    }

    /// Stops the queue: cancels all attempts, writes a complete snapshot to disk, and ends the streams of updates.
    /// Running uploads resume at the next start. A second call returns at once.
    public func stop() async {
        guard core.phase != .stopped else { return }
        send(.stop)
        for task in tasks.reporters { task.cancel() }
        for task in tasks.probes.values { task.cancel() }
        for task in tasks.roundTrips.values { task.cancel() }
        let ending = tasks.runs.values.map(\.task)
        for task in ending { task.cancel() }
        for task in ending { await task.value }
        send(.endRemovals)
        await finishDiscards()
        await saveDirty()
        while let task = tasks.retiring { await task.value }
        await history?.close()
        do throws(JournalError) {
            try await journal.close()
            send(.journalClosed(nil))
        } catch {
            send(.journalClosed(error))
        }
        listeners.finish()
        wakeIdleWaiters()
    }

    /// Waits until the tasks that delete bytes from servers have ended, but at most 3 seconds.
    private func finishDiscards() async {
        let tasks = Array(tasks.discards.values)
        guard !tasks.isEmpty else { return }
        let limit = environment.task { [clock] in
            guard (try? await clock.sleep(clock.now().advanced(by: .seconds(3)))) != nil else { return }
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        limit.cancel()
    }

    /// Waits until no attempt runs, and none will start without an action of a user.
    ///
    /// Returns as soon as no attempt runs after `stopWhenIdle`, or if only a user can repair the disk. Returns at once
    /// if the queue was loaded by `open` alone, or has stopped.
    public func waitUntilIdle() async {
        guard !core.isIdle else { return }
        await withCheckedContinuation { idleWaiters.append($0) }
    }

    /// Waits until the queue has stopped, or after `stopWhenIdle` until no attempt runs.
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
    /// Every upload, sorted by rank, its position in the queue.
    public var all: [Upload] { core.all(at: now) }

    /// All uploads as clients see them now. Taking them is fast: a long queue must not wait for its readers.
    package var snapshot: QueueTable { core.shownTable(at: now) }

    /// The uploads as in `snapshot` and the totals in `retired`, read at the same moment.
    package var snapshotWithRetired: (uploads: QueueTable, retired: Retired) { (snapshot, retired) }

    /// Every upload, sorted by rank, and the totals in `retired`, read at the same moment.
    public var everything: (uploads: [Upload], retired: Retired) { (all, retired) }

    /// The totals of the uploads that this engine finished and that have moved to the history.
    public var retired: Retired { core.archive.retired }

    /// The uploads that had failed or were held when the engine started, which are no failures of this run.
    public var failedBefore: Set<Upload.ID> { core.archive.failedBefore }

    /// The uploads that were done when the engine started, without those that have finished again.
    public var doneBefore: Set<Upload.ID> { core.archive.doneBefore }

    public nonisolated func progress() -> [ProgressSample] { progressStore.samples(rateLimit.rates) }

    package nonisolated func estimate(of left: RemainingBytes) -> TransferEstimate {
        progressStore.total(left: left, rateLimit.rates)
    }

    public func updates() -> AsyncStream<QueueUpdate> {
        listeners.add(PendingUpdates(of: snapshot, status))
    }

    /// Returns all uploads and the status as they are now, and the later updates. Unlike `updates()`, this copies no
    /// upload: a table shares the memory of those that do not change.
    package func changes() -> (uploads: QueueTable, status: EngineStatus, updates: AsyncStream<QueueUpdate>) {
        (snapshot, status, listeners.add(PendingUpdates()))
    }

    /// The status of the queue as a whole; also available after `stop`.
    public var status: EngineStatus { core.status(at: now) }

    /// Returns the selected uploads as clients see them; none if one is unknown.
    package func selected(_ selection: UploadSelection) -> [Upload] {
        current((try? core.ids(selection)) ?? [])
    }

    /// Returns those of these uploads that are in the queue, as clients see them.
    package func current(_ ids: some Sequence<Upload.ID>) -> [Upload] {
        ids.compactMap { id in core.uploads[id].map { core.shown($0, at: now) } }
    }

    /// Returns those of these uploads that a user has removed and can put back, or has put back.
    package func removed(_ ids: some Sequence<Upload.ID>) -> [Upload] {
        ids.compactMap { core.removals[$0] ?? core.uploads[$0] }
    }

    package func inspect() -> QueueInspection { QueueInspection(core, at: now) }
}

// Reports to the queue from outside.
extension UploadQueue {
    /// Applies a new configuration, also to queued uploads. Limits that commands have set still override it. A running
    /// attempt keeps the runner's settings from its start.
    ///
    /// - Parameter change: Changes the runner's settings, without an event of the queue before the change of the
    ///   configuration.
    public func apply(_ configuration: Configuration, with change: @Sendable () -> Void = {}) {
        let waiting = core.hostsOfWaiting
        change()
        send(.configured(configuration, waiting: waiting))
    }

    /// Sends a notice, such as one about a watched folder, to all clients that follow the queue's updates.
    public nonisolated func tell(_ notice: Notice) {
        let number = lastNotice.add(1, ordering: .relaxed).newValue
        let dated = DatedNotice(notice, at: clock.date())
        environment.task { await self.send(.noticed(dated, number: number)) }
    }

    /// Reports to all clients which watched folders are missing now, by their paths for display.
    public func setAwayFolders(_ folders: [String]) { send(.awayFolders(folders)) }
}
