import Dispatch
import FerryFiles
import FerryProtocols
import FerryTransfer
import Synchronization

/// Brings the files of watched folders to a queue, each version once, and does with them afterwards what was asked for.
///
/// A program that has a queue has one of these beside it. What it handed over is in its notes, so that it goes on after
/// `kill -9`.
public actor WatchedFolders: QueueFollower {
    /// The wait of a file that the queue did not take.
    static let timeout = Duration.seconds(5)

    /// The times for which a folder with something left to do may be silent before nobody waits for it any more: its
    /// medium hangs.
    struct Silence: Sendable {
        /// The time after a sent file is to be taken out of it.
        var removing = Duration.seconds(60)
        /// The time while it is looked through, which takes long where there are millions of files.
        var looking = Duration.seconds(600)
    }

    /// A watched folder, and what is known of it.
    struct Station {
        let watch: Watch
        /// Watches it on a thread of its own.
        let thread: FolderWatch
        /// The path, without symbolic links as far as is known.
        var place: LocalPath
        /// The time of its last report.
        var heard: SuspendingClock.Instant
    }

    var stations: [Station]
    /// The state of each folder, as it was told last.
    nonisolated let current: Mutex<[WatchState]>
    let queue: UploadQueue
    let ledger: WatchLedger
    let history: HistoryLookup
    var tracker: WatchTracker
    var notices: WatchNotices
    private let destination: @Sendable (Watch) -> Destination
    private let silence: Silence
    /// Files that are gone, of which the queue has not heard yet.
    var gone: Set<LocalPath> = []
    /// The folders that are not there, as the queue was told last.
    private var away: [String] = []

    private nonisolated let executor = DiskExecutor(label: "watched")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let reports = AsyncStream<(Int, [WatchReport])>.makeStream()
    private var reader: Task<Void, Never>?
    package var following = FollowingTask()
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// True if the queue was given something, or a file was taken away, since somebody last waited for it.
    var hasActed = false
    var isStopped = false

    /// Takes up what an engine before has noted. The queue must not have started yet: what of it came from these folders
    /// has rules of its own.
    ///
    /// - Parameters:
    ///   - lock: The lock of the queue's state folder, where the notes are kept too.
    ///   - destination: Returns where the files of a folder go now.
    ///   - tell: Takes what a person should know.
    ///   - log: Takes what a person may want to look up.
    /// - Throws: `JournalError` if there are notes that cannot be read, or no descriptors left.
    public init(
        _ watches: [Watch], lock: StateLock, queue: UploadQueue,
        destination: @escaping @Sendable (Watch) -> Destination = { $0.destination },
        tell: @escaping @Sendable (Notice) -> Void = { _ in },
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(JournalError) {
        try self.init(
            watches, lock: lock, queue: queue, silence: Silence(), destination: destination,
            notices: WatchNotices(tell: tell, log: log))
        await queue.leaveChanges(of: ledger.all.keys)
    }

    init(
        _ watches: [Watch], lock: StateLock, queue: UploadQueue, silence: Silence,
        destination: @escaping @Sendable (Watch) -> Destination = { $0.destination }, notices: WatchNotices
    ) throws(JournalError) {
        let ledger = try WatchLedger(lock)
        do throws(SystemCallError) {
            var stations: [Station] = []
            for watch in watches {
                stations.append(
                    Station(watch: watch, thread: try FolderWatch(), place: watch.folder.path, heard: .now))
            }
            self.stations = stations
        } catch {
            throw JournalError.failed(call: error.call, path: lock.files.path, code: error.code.rawValue)
        }
        current = Mutex(watches.map { _ in WatchState() })
        tracker = WatchTracker(ledger.all.values)
        self.ledger = ledger
        self.queue = queue
        history = HistoryLookup(lock)
        self.notices = notices
        self.destination = destination
        self.silence = silence
    }

    /// The state of each folder, in the order of the watches.
    public nonisolated var states: [WatchState] { current.withLock { $0 } }

    func upload(_ file: FileSelection.File, from watch: Watch) -> NewUpload {
        NewUpload(
            path: file.path, identity: file.identity,
            target: destination(watch).target(name: file.relativeName, fields: [], existing: nil))
    }

    /// Begins to watch, once it is known what became of what was handed over before.
    public func start() async {
        let found = await Self.resolve(stations.map(\.place))
        for (index, place) in found.enumerated() {
            if let place { stations[index].place = place }
        }
        await catchUp(with: queue)
        // Where a folder really is may not be known yet, and then neither is what belongs to it.
        if !found.contains(nil) {
            await queue.forgetChanges(
                of: ledger.all.values.filter { watch(of: $0) == nil }.map(\.path), evenQueued: true)
        }
        forgetStrangers()
        reader = Task { [weak self, all = reports.stream] in
            for await (index, reports) in all { await self?.take(reports, from: index) }
        }
        let goals = stations.compactMap { station -> LocalPath? in
            if case .move(let goal) = station.watch.folder.after { goal } else { nil }
        }
        for (index, station) in stations.enumerated() {
            let (watch, place) = (station.watch, station.place)
            let earlier = stations.prefix(index).map { ($0.place, $0.watch) }
            let known = ledger.all.values.filter { note in
                note.to == watch.to && note.fate != .adding && note.path.isBelow(place)
            }
            let tree = WatchedTree(
                watch.folder,
                known: Dictionary(known.map { ($0.path, $0.identity) }, uniquingKeysWith: { $1 }),
                exceptions: goals,
                // A file belongs to the first folder that it fits.
                isTaken: { path in
                    earlier.contains { place, watch in
                        path.names(below: place).map(watch.folder.takes) ?? false
                    }
                })
            station.thread.start(tree) { [report = reports.continuation] in report.yield((index, $0)) }
        }
    }

    /// The same places without symbolic links, of those whose media say so in a moment.
    private static func resolve(_ places: [LocalPath]) async -> [LocalPath?] {
        let resolved = ResolvedPaths(places.count)
        let group = DispatchGroup()
        for (index, place) in places.enumerated() {
            group.enter()
            DetachedThread.start {
                if let found = try? place.resolved() { resolved.all.withLock { $0[index] = found } }
                group.leave()
            }
        }
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                _ = group.wait(timeout: .now() + .seconds(1))
                done.resume()
            }
        }
        return resolved.all.withLock { $0 }
    }

    private final class ResolvedPaths: Sendable {
        let all: Mutex<[LocalPath?]>
        init(_ count: Int) { all = Mutex(Array(repeating: nil, count: count)) }
    }

    /// Drops the notes of files that are gone and that no folder tells of: it is not watched any more, or was never told
    /// of them.
    private func forgetStrangers() {
        let strangers = ledger.all.values.filter { $0.fate == .adding || watch(of: $0) == nil }
        guard !strangers.isEmpty else { return }
        // They may be on a medium that does not answer.
        DetachedThread.start { [weak self] in
            let gone = strangers.filter { note in
                FileIdentity.ofName(note.path) == nil
                    && note.path.parent.flatMap(SourceFolder.device) == note.identity.device
            }
            Task { await self?.forget(gone) }
        }
    }

    private func forget(_ gone: [WatchNote]) {
        guard !isStopped else { return }
        // What came back meanwhile has another note by now.
        let unchanged = gone.filter { ledger[$0.path] == $0 }
        write(unchanged.map { WatchNote(path: $0.path, to: $0.to, identity: $0.identity, fate: .gone) })
    }

    /// Returns when all files that are there have been handed on, and all that was to be done with sent ones is done; and
    /// when nothing is heard of what is left, which is told.
    ///
    /// - Parameter takesNew: False if nothing is taken any more: then only sent files are waited for.
    /// - Returns: True if anything was, since the last time.
    @discardableResult public func finish(takesNew: Bool = true) async -> Bool {
        await catchUp(with: queue)
        let begin = SuspendingClock.now
        while !isStopped {
            let limits = stations.indices.compactMap { index in
                timeout(with: index, takesNew).map {
                    max(stations[index].heard, begin).advanced(by: $0)
                }
            }
            guard let limit = limits.max() else { break }
            guard limit > .now else {
                tellLeft(takesNew)
                break
            }
            let alarm = Task { [weak self] in
                guard (try? await Task.sleep(until: limit, clock: .suspending)) != nil else { return }
                await self?.resumeWaiters()
            }
            await withCheckedContinuation { waiters.append($0) }
            alarm.cancel()
        }
        defer { hasActed = false }
        return hasActed && !isStopped
    }

    /// Returns how long a folder may be silent; nil if there is nothing to wait for.
    private func timeout(with index: Int, _ takesNew: Bool) -> Duration? {
        if tracker.removals.values.contains(index) { return silence.removing }
        return takesNew && !current.withLock { $0[index].isQuiet } ? silence.looking : nil
    }

    private func tellLeft(_ takesNew: Bool) {
        for (index, station) in stations.enumerated() where timeout(with: index, takesNew) != nil {
            let count = tracker.removals.values.count { $0 == index }
            let left =
                count > 0
                ? "\(count == 1 ? "a sent file stays" : "\(count) sent files stay") there until the engine starts again"
                : "what is new there is found when the engine starts again"
            note("\(station.watch.folder.path.text) does not answer: \(left)", .warning)
        }
    }

    /// Stops watching. Nothing noted is lost without this either.
    public func stop() async {
        isStopped = true
        following.cancel()
        reports.continuation.finish()
        await withCheckedContinuation { done in
            // They may wait for a medium.
            DispatchQueue.global().async { [stations] in
                for station in stations { station.thread.stop() }
                done.resume()
            }
        }
        reader?.cancel()
        wake()
    }

    package var goesOnFollowing: Bool { !isStopped }

    private var isQuiet: Bool {
        isStopped || tracker.removals.isEmpty && current.withLock { $0.allSatisfy(\.isQuiet) }
    }

    /// Wakes those that wait, after progress.
    func wake() {
        if isQuiet { history.forget() }
        resumeWaiters()
    }

    private func resumeWaiters() {
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Tells the queue which folders are not there, for those who look at it.
    func tellAway() async {
        let now = zip(stations, states).filter { $1.isAway }.map { $0.0.watch.folder.path.text }
        guard now != away else { return }
        away = now
        await queue.setAwayFolders(now)
    }

    func note(_ text: String, _ kind: Notice.Kind = .note) {
        notices.once(text, kind)
    }

    func write(_ new: [WatchNote]) {
        gone.formUnion(new.lazy.filter { $0.fate == .gone }.map(\.path))
        do throws(JournalError) { try ledger.write(new) } catch {
            note("\(error.summary): what was uploaded from watched folders may be sent again", .warning)
        }
    }
}

extension WatchState {
    /// True if all files that are there have been handed on.
    fileprivate var isQuiet: Bool { settling == 0 && (isScanned || place == nil && isKnown) }
}
