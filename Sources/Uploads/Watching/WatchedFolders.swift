import Dispatch
import FerryProtocols
import FerryTransfer
import Synchronization

/// An actor that adds the files in watched folders to the upload queue, each version once. After the upload, it keeps,
/// deletes or moves the file. Create one actor for each queue. A file on disk lists the queued files, so that a new
/// process continues after `kill -9`.
public actor WatchedFolders: QueueFollower {
    /// The delay before files are queued or removed again that the queue refused, or that were open for writing.
    static let timeout = Duration.seconds(5)

    /// The maximum times that `finish` waits for a report from a folder's thread, whose volume may not respond.
    struct Silence: Sendable {
        /// The longest wait while the thread deletes or moves an uploaded file.
        var removing = Duration.seconds(60)
        /// The longest wait while the thread searches for new files, possibly among millions.
        var looking = Duration.seconds(600)
    }

    struct Station {
        let watch: Watch
        let thread: FolderWatch
        /// The configured path, and once the folder was found, the path without symbolic links.
        var path: LocalPath
        /// The time of the last report from `thread`, at first of the creation.
        var heard: SuspendingClock.Instant
    }

    var stations: [Station]
    /// The last state that each folder's thread reported, in the same sequence as `stations`.
    nonisolated let current: Mutex<[WatchState]>
    let queue: UploadQueue
    let ledger: WatchLedger
    let history: HistoryLookup
    var tracker: WatchTracker
    var notices: WatchNotices
    let destination: @Sendable (Watch) -> Destination
    private let silence: Silence
    /// The files that are gone from the watched folders, but that the queue still treats as watched.
    var gone: Set<LocalPath> = []
    private var away: [String] = []

    private nonisolated let executor = DiskExecutor(label: "watched")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let reports = AsyncStream<(Int, [WatchReport])>.makeStream()
    private var reader: Task<Void, Never>?
    package var following = FollowingTask()
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// True if a file was queued, or if a removal succeeded or failed, since the last call of `finish`.
    var hasActed = false
    var isStopped = false

    /// Loads the notes (`WatchNote`) of the previous Ferry process about files, and marks these files in the queue as
    /// watched: if one changes, its upload is held until a user decides. Call this before the queue starts.
    ///
    /// - Parameters:
    ///   - lock: The lock of the queue's state folder, which contains the notes too.
    ///   - destination: Returns the current destination of a watched folder.
    ///   - tell: Receives notices for the user.
    ///   - log: Receives a line for each uploaded file that was deleted or moved.
    /// - Throws: `JournalError` if the notes cannot be read, or if no file descriptor is free for a folder's thread.
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
                    Station(watch: watch, thread: try FolderWatch(), path: watch.folder.path, heard: .now))
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

    /// The last reported state of each watched folder, in the same sequence as the watches that `init` received.
    public nonisolated var states: [WatchState] { current.withLock { $0 } }

    func upload(_ file: FileSelection.File, from watch: Watch) -> NewUpload {
        NewUpload(
            path: file.path, identity: file.identity,
            target: destination(watch).target(name: file.relativeName, fields: [], existing: nil))
    }

    /// Reacts to the uploads that ended before this call, and starts the threads that watch the folders.
    public func start() async {
        let found = await Self.resolve(stations.map(\.path))
        for (index, path) in found.enumerated() {
            if let path { stations[index].path = path }
        }
        await catchUp(with: queue)
        // While the path of a folder is unresolved, it is unknown which files belong to it.
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
            let (watch, root) = (station.watch, station.path)
            let earlier = stations.prefix(index).map { ($0.path, $0.watch) }
            let known = ledger.all.values.filter { note in
                note.to == watch.to && note.disposition != .adding && note.path.isBelow(root)
            }
            let tree = WatchedTree(
                watch.folder,
                known: Dictionary(known.map { ($0.path, $0.identity) }, uniquingKeysWith: { $1 }),
                exceptions: goals,
                // A file belongs to the first folder that matches it.
                isTaken: { path in
                    earlier.contains { root, watch in
                        path.names(below: root).map(watch.folder.takes) ?? false
                    }
                })
            station.thread.start(tree) { [report = reports.continuation] in report.yield((index, $0)) }
        }
    }

    /// Returns the paths without symbolic links, or nil for those that cannot be resolved within a second.
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

    /// Removes the notes of files that are gone, if no thread notices that: they are outside the watched folders, or
    /// were about to be added. A file on a volume that is not mounted does not count as gone.
    private func forgetStrangers() {
        let strangers = ledger.all.values.filter { $0.disposition == .adding || watch(of: $0) == nil }
        guard !strangers.isEmpty else { return }
        // The files may be on a volume that does not respond.
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
        // A file that has returned meanwhile has another note by now, which must stay.
        let unchanged = gone.filter { ledger[$0.path] == $0 }
        write(
            unchanged.map { WatchNote(path: $0.path, to: $0.to, identity: $0.identity, disposition: .gone) })
    }

    /// Waits until all new files are queued and no uploaded file is being deleted or moved, but not for files that
    /// cannot be read or are open for writing. If no report comes for the time in `Silence`, notifies the user and
    /// returns.
    ///
    /// - Parameter takesNew: False to wait only for files that are being deleted or moved.
    /// - Returns: True if a file was queued, or if a removal succeeded or failed, since the last call.
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

    /// Returns how long `finish` waits for a report from the folder at `index`; nil if it need not wait.
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
            notices.once("\(station.watch.folder.path.text) does not answer: \(left)", .warning)
        }
    }

    /// Stops watching the folders, and waits at most one second for each thread. The notes are always on disk.
    public func stop() async {
        isStopped = true
        following.cancel()
        reports.continuation.finish()
        await withCheckedContinuation { done in
            // The threads may wait for a volume.
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

    /// Resumes the callers of `finish`. If no work is left, also frees the entries of `history`.
    func wake() {
        if isQuiet { history.forget() }
        resumeWaiters()
    }

    private func resumeWaiters() {
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    func tellAway() async {
        let now = zip(stations, states).filter { $1.isAway }.map { $0.0.watch.folder.path.text }
        guard now != away else { return }
        away = now
        await queue.setAwayFolders(now)
    }

    func write(_ new: [WatchNote]) {
        gone.formUnion(new.lazy.filter { $0.disposition == .gone }.map(\.path))
        do throws(JournalError) { try ledger.write(new) } catch {
            notices.once(
                "\(error.summary): what was uploaded from watched folders may be sent again", .warning)
        }
    }
}

extension WatchState {
    /// True if `finish` need not wait for new files of the folder.
    fileprivate var isQuiet: Bool { settling == 0 && (isScanned || path == nil && isKnown) }
}
