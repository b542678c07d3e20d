public import FerryConnectivity
import FerryProtocols
public import FerryTransfer
import Foundation
import Synchronization

/// The one owner of every upload.
///
/// A change is made in memory, appended to the journal and only then published and acted upon. Commands of people are
/// undone and refused if the journal cannot take them; what the engine itself finds out stays true in memory and is
/// appended again as soon as the disk allows.
public actor UploadQueue: QueueClient {
    /// Limits that hold until a command sets others.
    public struct Configuration: Hashable, Sendable {
        /// Uploads running at once.
        public var concurrency: Int
        /// Uploads running at once to one host; nil for as many as in total.
        public var concurrencyPerHost: Int?
        /// So many of the smallest uploads take the place of one: most of their time goes by with waiting for answers.
        /// An upload takes up a share of a place for each 128 KiB that it has begun, and never more than the whole.
        public var smallPerPlace: Int
        /// Bytes per second by the time of day; scopes that are not named have no limit.
        public var limits: [LimitScope: Timetable]
        /// How long to wait after failures, and when to stop.
        public var retry: QueueRetryPolicy
        /// Done uploads that stay in the queue; those done before them are in the history alone. Nil for all.
        public var keptDone: Int?

        public init(
            concurrency: Int = 4, concurrencyPerHost: Int? = nil, smallPerPlace: Int = 1,
            limits: [LimitScope: Timetable] = [:],
            retry: QueueRetryPolicy = QueueRetryPolicy(), keptDone: Int? = nil
        ) {
            self.concurrency = concurrency
            self.concurrencyPerHost = concurrencyPerHost
            self.smallPerPlace = max(1, smallPerPlace)
            self.limits = limits
            self.retry = retry
            self.keptDone = keptDone
        }
    }

    /// An upload is counted as so many pieces of at most this size, in bytes. What is on its way bounds what a break
    /// can cost with a server that keeps nothing of a request: were 32 uploads of a mebibyte under way on a link that
    /// carries 16 MiB between two breaks, none of them would ever arrive.
    static let smallPiece: ByteCount = 128 << 10

    /// How many of the smallest uploads may take the place of one, unless a person said how many run at once.
    var smallPerPlace: Int { settings.concurrency == nil ? configuration.smallPerPlace : 1 }

    /// How much room an upload of `size` bytes takes up; `smallPerPlace` is a whole place.
    func share(ofSize size: ByteCount) -> Int {
        let pieces = size / Self.smallPiece + (size % Self.smallPiece > 0 ? 1 : 0)
        return min(smallPerPlace, max(1, Int(clamping: pieces)))
    }

    /// One attempt on its way. It stays here until its task has reported, so that an upload never has two senders.
    struct Run {
        var number: Int
        var host: UploadHost
        var task: Task<Void, Never>
        var started: ContinuousClock.Instant
        var lastSaved: ContinuousClock.Instant
        /// What it began with, until the server has said how much of that it holds.
        var unasked: Resource?
        /// Bytes that were confirmed when it began.
        var confirmed: ByteCount
    }

    /// Whether the network may be used.
    enum Gate: Equatable {
        case open
        /// Closed until the first word of the network; nobody said yet that it is away.
        case unknown
        case closed(since: Date, reason: String)
        /// Closed, but a person said to try.
        case forced(since: Date, reason: String)

        var isClosed: Bool {
            switch self {
            case .closed, .unknown: true
            case .open, .forced: false
            }
        }
    }

    /// Whether the journal takes what it is given.
    enum Saving {
        case working
        /// No snapshot; so often tried again.
        case behind(JournalError, tries: Int)
        case refused(JournalError, tries: Int)

        var isRefused: Bool {
            if case .refused = self { true } else { false }
        }

        /// Tried again without success, and no full disk: waiting alone will not help.
        var isHopeless: Bool {
            if case .refused(let error, let tries) = self { tries > 0 && !error.isDiskFull } else { false }
        }
    }

    /// Whether the engine runs what is queued.
    enum Phase {
        /// Commands are carried out and nothing starts: another process may run the queue later.
        case editing
        case accepting
        /// Nothing new starts; over when nothing runs.
        case finishing
        case stopped
    }

    var configuration: Configuration
    let journal: any Journal
    let history: UploadHistory?
    let runner: any AttemptRunner
    let clock: QueueClock
    let probe: @Sendable (UploadHost) async -> Reachability
    let surroundings: QueueSurroundings
    let rateLimit: RateLimit
    nonisolated let board: ProgressBoard
    nonisolated let listeners = UpdateListeners()

    var uploads = UploadTable()
    var settings = QueueSettings()
    var ranks: ClosedRange<Int64> = 0...0
    var pending = 0
    var runs: [Upload.ID: Run] = [:]
    var lastRun = 0
    var scheduler = Scheduler()
    var waits = WaitList<Upload.ID, ContinuousClock.Instant>()
    /// The limits that hold now.
    var limits: [BandwidthLimit] = []
    var limitsLook = LimitsLook()
    var limitTimer: Task<Void, Never>?
    /// When to look whether what runs is stuck, and others need not wait for it; nil if nothing waits so.
    var stuckLook: ContinuousClock.Instant?
    var starts = StartList()
    var doneRuns = DoneRuns()
    var timer: Task<Void, Never>?
    var gate = Gate.open
    /// When the network was back last.
    var linkReturned: ContinuousClock.Instant?
    /// Whether the monitor's reason says that there is a network, and that it must not be used.
    var forbidsNetwork: @Sendable (String) -> Bool = { _ in false }
    /// Grows each time this machine loses an address.
    var lastGeneration = 0
    var phase = Phase.editing
    var hosts: [UploadHost: ProbeSchedule] = [:]
    var probes: [UploadHost: Task<Void, Never>] = [:]
    /// What can be put back; without a resource if its parts at the server are gone, or there were none.
    var removed: [Upload.ID: Upload] = [:]
    /// They end when the removed ones can no longer be put back as they were.
    var removals: [Int: Task<Void, Never>] = [:]
    var lastRemoval = 0
    var orders = OrderHistory()
    /// What `addMissing` and `takeSettled` are writing to disk.
    var arriving: Set<UploadKey> = []
    /// Somebody else knows better than the queue when one of these files is whole again after a change.
    var watchedFiles: Set<LocalPath> = []
    /// Nil until somebody asks: only who watches folders pays for it.
    var uploadsByPath: UploadsByPath?
    var discards: [Int: Task<Void, Never>] = [:]
    var lastDiscard = 0
    /// What was confirmed of each upload when it was last tried again at once.
    var retriedAtOnce: [Upload.ID: ByteCount] = [:]
    var unsaved = UnsavedUploads()
    /// Changed or removed by orders that the disk has not answered yet. Nothing starts on the strength of such an
    /// order, and no other record is written of these uploads: it would hold what may yet be refused, or bring back
    /// what is removed.
    var ordered: Set<Upload.ID> = []
    var orderWaiters: [CheckedContinuation<Void, Never>] = []
    var isMoving = false
    var moveWaiters: [CheckedContinuation<Void, Never>] = []
    /// What ended in memory while the disk has not answered, with the state it had before: until then nobody is told.
    var unconfirmed: [Upload.ID: Upload.State] = [:]
    var saving = Saving.working
    /// Looks whether the disk takes something again.
    var prober: Task<Void, Never>?
    /// Hears from the journal.
    var keeper: Task<Void, Never>?
    var shortage: DescriptorShortage<ContinuousClock.Instant>?
    var hostConcurrency: [UploadHost: HostConcurrency<ContinuousClock.Instant>] = [:]
    /// Hosts that asked to be left alone.
    var askedPauses: [UploadHost: HostPause] = [:]
    /// How many uploads are pending at each host, once one has asked to be left alone.
    var pendingAtHosts: [UploadHost: Int]?
    var signInPauses: [UploadHost: SignInPause<ContinuousClock.Instant>] = [:]
    /// The newest of what happened beside the queue, by the numbers they were told in: they may come here in another order.
    var notices: [(number: Int, notice: DatedNotice)] = []
    nonisolated let lastNotice = Atomic(0)
    /// Watched folders that are not there.
    var awayFolders: [String] = []
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
    var watcher: Task<Void, Never>?
    var sleepWatcher: Task<Void, Never>?
    /// The done uploads in the order in which they were finished; some may have been removed since.
    var finished: [Upload.ID] = []
    /// The first so many of them were done before this engine started.
    var inherited = 0
    /// The uploads that had failed or were held when the engine started.
    public internal(set) var failedBefore: Set<Upload.ID> = []
    var retiring: Task<Void, Never>?
    /// What this engine finished that is in the history alone.
    public internal(set) var retired = Retired()

    /// - Parameters:
    ///   - history: Where uploads that are done are noted; nil keeps no history, and all of them in the queue.
    ///   - rateLimit: The limit that the runner's transfers go by; the queue sets its rates.
    ///   - readers: The threads that wait for the media of files that are tried again.
    public init(
        configuration: Configuration = Configuration(), journal: any Journal,
        history: UploadHistory? = nil, runner: any AttemptRunner,
        rateLimit: RateLimit = RateLimit(), readers: FileReaders = .shared, clock: QueueClock = .system,
        probe: @escaping @Sendable (UploadHost) async -> Reachability = UploadQueue.connect
    ) {
        self.init(
            configuration: configuration, journal: journal, history: history, runner: runner,
            rateLimit: rateLimit, clock: clock, probe: probe, surroundings: .system(readers))
    }

    package init(
        configuration: Configuration, journal: any Journal, history: UploadHistory?,
        runner: any AttemptRunner, rateLimit: RateLimit, clock: QueueClock,
        probe: @escaping @Sendable (UploadHost) async -> Reachability,
        surroundings: QueueSurroundings
    ) {
        self.configuration = configuration
        self.journal = journal
        self.history = history
        self.runner = runner
        self.rateLimit = rateLimit
        self.clock = clock
        board = ProgressBoard(clock: clock.now)
        self.probe = probe
        self.surroundings = surroundings
    }

    /// Tries a TCP connection to the host, or to the proxy on the way there.
    public static let connect: @Sendable (UploadHost) async -> Reachability = { host in
        let name = host.proxy?.host ?? host.name
        let port = host.proxy.flatMap { UInt16(exactly: $0.port) } ?? host.port
        return (try? await DestinationProbe().check(host: name, port: port)) ?? .timedOut
    }

    /// Stops all attempts, writes a complete snapshot and ends every stream of updates.
    ///
    /// What ran is queued again and goes on next time. Safe to call twice.
    public func stop() async {
        guard phase != .stopped else { return }
        phase = .stopped
        watcher?.cancel()
        sleepWatcher?.cancel()
        timer?.cancel()
        limitTimer?.cancel()
        prober?.cancel()
        keeper?.cancel()
        for task in probes.values { task.cancel() }
        let ending = runs.values.map(\.task)
        for task in ending { task.cancel() }
        for task in ending { await task.value }
        for task in removals.values { task.cancel() }
        giveUp(Array(removed.keys))
        await finishDiscards()
        await saveUnsaved()
        while let task = retiring { await task.value }
        await history?.close()
        await closeJournal()
        listeners.finish()
        wakeIdleWaiters()
    }

    /// Waits a little for what is being deleted at servers: a server that hangs must not keep us.
    private func finishDiscards() async {
        let tasks = Array(discards.values)
        guard !tasks.isEmpty else { return }
        let limit = Task(executorPreference: surroundings.executor) { [clock] in
            guard (try? await clock.sleep(clock.now().advanced(by: Self.discardPatience))) != nil else {
                return
            }
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        limit.cancel()
    }

    private static let discardPatience = Duration.seconds(3)

    /// Returns when nothing runs and nothing will: all is done, failed, held or paused by a person. Returns too when
    /// the queue was told to finish and nothing runs any more.
    public func waitUntilIdle() async {
        guard !isIdle else { return }
        await withCheckedContinuation { idleWaiters.append($0) }
    }

    /// Returns when the queue has been told to finish (`stopWhenIdle`) and nothing runs any more, or when it has stopped.
    public func waitUntilFinished() async {
        while phase != .stopped, phase != .finishing || !isIdle {
            await withCheckedContinuation { idleWaiters.append($0) }
        }
    }

    /// Every upload, in the order of the queue.
    public var all: [Upload] { uploads.values.map(shown).sorted { $0.rank < $1.rank } }

    public nonisolated func progress() -> [ProgressSample] { board.samples(rateLimit.rates) }

    /// How fast all uploads together go, and how long they still need.
    ///
    /// - Parameter left: What those that are due have not sent yet.
    package nonisolated func estimate(of left: RemainingBytes) -> TransferEstimate {
        board.total(left: left, rateLimit.rates)
    }

    public func updates() -> AsyncStream<QueueUpdate> {
        var uploads = uploads
        for id in Array(waits.ids) + unconfirmed.keys { uploads[id] = uploads[id].map(shown) }
        return listeners.add(uploads: uploads, status: status)
    }

    /// What is true of the queue as a whole, after `stop` too.
    public var status: EngineStatus {
        let network: EngineStatus.Network =
            switch gate {
            case .open, .unknown: .online
            case .closed(let since, let reason), .forced(let since, let reason):
                .offline(since: since, reason: reason)
            }
        return EngineStatus(
            network: network, limits: limits,
            concurrency: settings.concurrency ?? configuration.concurrency, storage: storage,
            notice: notice, askedPauses: shownPauses, awayHosts: shownAwayHosts, awayFolders: awayFolders,
            notices: notices.map(\.notice))
    }

    var isIdle: Bool {
        switch phase {
        case .editing: true
        // A result that is not on disk is not over; one that waits for a person to mend the disk must not keep us. If
        // all that is pending waits for another one, each of them waits in the end for one that a person must see to.
        case .accepting:
            runs.isEmpty
                && (pending == starts.following && unsaved.isEmpty && unconfirmed.isEmpty
                    || saving.isHopeless)
        case .finishing: runs.isEmpty
        case .stopped: true
        }
    }

    func wakeIdleWaiters() {
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }

    /// Takes an upload into memory and into the indexes that depend on its state.
    func store(_ upload: Upload) {
        let upload = admitted(upload)
        let before = uploads.update(upload)
        if before?.isDone ?? true, !upload.isDone { doneRuns.reopen(upload.id) }
        let (wasPending, isPending) = (before?.state.isPending ?? false, upload.state.isPending)
        if wasPending { pending -= 1 }
        if isPending { pending += 1 }
        recount(upload, wasPending: wasPending, isPending: isPending)
        if let before {
            // A wait is anchored once: whatever else of the upload changes, it ends when it was to end.
            if upload.state.isWait(of: before), waits.instant(of: upload.id) != nil { return }
            waits.forget(upload.id)
        } else {
            uploadsByPath?.insert(upload)
        }
        switch upload.state {
        case .queued where upload.start == nil:
            scheduler.enqueue(upload.id, rank: upload.rank, host: runner.host(of: upload))
        case .waiting(let until, _):
            let left = configuration.retry.remaining(
                of: upload.tries.delay, until: until, now: clock.date())
            waits.wait(upload.id, until: clock.now().advanced(by: .seconds(left)))
        case .queued, .running, .paused, .held, .done, .failed: break
        }
    }

    /// As others see it: one that a crash could make run again is not over yet, and a wait ends when it ends by the
    /// clock that nobody can set, told in the time there is now.
    func shown(_ upload: Upload) -> Upload {
        switch (upload.state, unconfirmed[upload.id]) {
        case (.done, let before?), (.failed, let before?), (.held, let before?):
            var shown = upload
            shown.state = before
            return shown
        default: break
        }
        guard case .waiting(_, let failure) = upload.state, let instant = waits.instant(of: upload.id) else {
            return upload
        }
        var upload = upload
        let left = clock.now().duration(to: instant) / .seconds(1)
        upload.state = .waiting(until: clock.date().addingTimeInterval(left), failure: failure)
        return upload
    }

    /// Takes an upload out of memory, with all that is known beside it.
    func drop(_ id: Upload.ID) {
        guard let upload = uploads.removeValue(forKey: id) else { return }
        if upload.state.isPending { pending -= 1 }
        uploadsByPath?.remove(upload)
        recount(upload, wasPending: upload.state.isPending, isPending: false)
        waits.forget(id)
        starts.forget(id)
        retriedAtOnce[id] = nil
        unconfirmed[id] = nil
        unsaved.remove(id)
        // Its record, which would have said so, is not written any more.
        if upload.isDone { letFollow(id) }
    }

    /// Undoes a change that could not be written down. What ran then may have ended meanwhile.
    func putBack(_ upload: Upload) {
        var upload = upload
        if case .running = upload.state, runs[upload.id] == nil { upload.state = .queued }
        store(upload)
    }

    func publish(_ ids: [Upload.ID], removed: [Upload.ID] = []) {
        guard !listeners.isEmpty else { return }
        listeners.publish(
            changed: ids.compactMap { uploads[$0].map(shown) }, removed: removed, status: status)
    }
}
