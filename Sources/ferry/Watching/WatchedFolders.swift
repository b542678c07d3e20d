import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Synchronization

/// Brings the files of watched folders to a queue, each version once, and does with them afterwards what was asked for.
///
/// Whoever has the engine has one of these. What it handed over is in its notes, so that it goes on after `kill -9`.
actor WatchedFolders {
    /// How long a file waits that the queue did not take.
    static let patience = Duration.seconds(5)

    /// How long a folder with something left to do may say nothing before nobody waits for it any more: its medium hangs.
    struct Silence {
        /// After a sent file is to be taken out of it.
        var removing = Duration.seconds(60)
        /// While it is looked through, which takes long where there are millions of files.
        var looking = Duration.seconds(600)
    }

    let watches: [Watch]
    /// Where they are, without symbolic links.
    var places: [LocalPath]
    let threads: [FolderWatch]
    let notes: WatchNotes
    let queue: UploadQueue
    let past: PastUploads
    private let destination: @Sendable (Watch) -> Destination
    let tell: @Sendable (Notice) -> Void
    let log: @Sendable (String) -> Void
    /// The folders that are not there, as the queue was told last.
    private var away: [String] = []
    /// Of each folder, as it was told last.
    nonisolated let states: Mutex<[WatchState]>

    private nonisolated let executor = DiskExecutor(label: "watched")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let silence: Silence
    /// When each folder said something last.
    var heard: [SuspendingClock.Instant]
    private let reports: AsyncStream<(Int, [WatchReport])>
    private let reporting: AsyncStream<(Int, [WatchReport])>.Continuation
    private var reader: Task<Void, Never>?
    private var follower: Task<Void, Never>?
    /// What an earlier follower still brings is older than what was taken in since.
    var lastFollower = 0
    /// The files of our uploads.
    var paths: [Upload.ID: LocalPath] = [:]
    /// How our uploads ended the last time that something was done about it.
    var endings: [Upload.ID: Upload.State] = [:]
    /// Files that an engine before this one was about to add when it ended.
    var interrupted: Set<LocalPath>
    /// Sent files that are being taken away, with the number of their folder.
    var removals: [LocalPath: Int] = [:]
    /// Uploads of a file of which another version has settled, which is to go after them.
    var superseded: Set<Upload.ID> = []
    /// Sent files that cannot be taken away for now: for how long, nobody knows.
    var postponed: Set<LocalPath> = []
    /// Files that are gone, of which the queue has not heard yet.
    var gone: Set<LocalPath> = []
    private var told: Set<String> = []
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// True if the queue was given something, or a file was taken away, since somebody last waited for it.
    var hasActed = false
    var isStopped = false

    /// - Parameters:
    ///   - destination: Where the files of a folder go now.
    ///   - tell: Takes what a person should know.
    ///   - log: Takes what a person may want to look up.
    /// - Throws: `SystemCallError` if there are no descriptors left.
    init(
        _ watches: [Watch], notes: sending WatchNotes, queue: UploadQueue, past: PastUploads,
        silence: Silence = Silence(),
        destination: @escaping @Sendable (Watch) -> Destination = { $0.destination },
        tell: @escaping @Sendable (Notice) -> Void,
        log: @escaping @Sendable (String) -> Void
    ) throws(SystemCallError) {
        self.watches = watches
        self.silence = silence
        heard = watches.map { _ in .now }
        places = watches.map(\.folder.path)
        var threads: [FolderWatch] = []
        for _ in watches { threads.append(try FolderWatch()) }
        self.threads = threads
        for note in notes.all.values {
            if case .queued(let id) = note.fate { paths[id] = note.path }
        }
        interrupted = Set(notes.all.values.lazy.filter { $0.fate == .adding }.map(\.path))
        self.notes = notes
        self.queue = queue
        self.past = past
        self.destination = destination
        self.tell = tell
        self.log = log
        states = Mutex(watches.map { _ in WatchState() })
        (reports, reporting) = AsyncStream.makeStream()
    }

    func upload(_ file: FileSelection.File, from watch: Watch) -> NewUpload {
        NewUpload(
            path: file.path, identity: file.identity,
            target: destination(watch).target(name: file.relativeName, fields: [], existing: nil))
    }

    nonisolated var report: [EngineReport.Watched] {
        zip(watches, states.withLock { $0 }).map { watch, state in
            EngineReport.Watched(
                folder: watch.folder.path.text, to: watch.to, there: state.place != nil || !state.isKnown,
                settle: watch.settle, after: watch.after, goal: watch.goal, settling: state.settling,
                inUse: state.inUse)
        }
    }

    /// Begins to watch, once it is known what became of what was handed over before.
    func start() async {
        let found = await Self.resolve(places)
        places = zip(found, places).map { $0 ?? $1 }
        await catchUp()
        // Where a folder really is may not be known yet, and then neither is what belongs to it.
        if !found.contains(nil) {
            await queue.forgetChanges(
                of: notes.all.values.filter { watch(of: $0) == nil }.map(\.path), evenQueued: true)
        }
        forgetStrangers()
        reader = Task { [weak self, reports] in
            for await (index, reports) in reports { await self?.take(reports, from: index) }
        }
        let goals = watches.compactMap { watch -> LocalPath? in
            if case .move(let goal) = watch.folder.after { goal } else { nil }
        }
        for (index, watch) in watches.enumerated() {
            let (place, earlier) = (places[index], Array(zip(places, watches).prefix(index)))
            let known = notes.all.values.filter { note in
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
            threads[index].start(tree) { [reporting] in reporting.yield((index, $0)) }
        }
    }

    /// The same places without symbolic links, of those whose media say so in a moment.
    private static func resolve(_ places: [LocalPath]) async -> [LocalPath?] {
        let resolved = SharedPlaces(places.count)
        let group = DispatchGroup()
        for (index, place) in places.enumerated() {
            group.enter()
            Thread.detachNewThread {
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

    private final class SharedPlaces: Sendable {
        let all: Mutex<[LocalPath?]>
        init(_ count: Int) { all = Mutex(Array(repeating: nil, count: count)) }
    }

    /// Drops the notes of files that are gone and that no folder tells of: it is not watched any more, or was never told
    /// of them.
    private func forgetStrangers() {
        let strangers = notes.all.values.filter { $0.fate == .adding || watch(of: $0) == nil }
        guard !strangers.isEmpty else { return }
        // They may be on a medium that does not answer.
        Thread.detachNewThread { [weak self] in
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
        let unchanged = gone.filter { notes[$0.path] == $0 }
        write(unchanged.map { WatchNote(path: $0.path, to: $0.to, identity: $0.identity, fate: .gone) })
    }

    /// Returns when all files that are there have been handed on, and all that was to be done with sent ones is done; and
    /// when nothing is heard of what is left, which is told.
    ///
    /// - Parameter takesNew: False if nothing is taken any more: then only sent files are waited for.
    /// - Returns: True if anything was, since the last time.
    func finish(takesNew: Bool) async -> Bool {
        await catchUp()
        let begin = SuspendingClock.now
        while !isStopped {
            let limits = (0..<watches.count).compactMap { index in
                patience(with: index, takesNew).map { max(heard[index], begin).advanced(by: $0) }
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

    /// How long a folder may say nothing; nil if there is nothing to wait for.
    private func patience(with index: Int, _ takesNew: Bool) -> Duration? {
        if removals.values.contains(index) { return silence.removing }
        return takesNew && !states.withLock { $0[index].isQuiet } ? silence.looking : nil
    }

    private func tellLeft(_ takesNew: Bool) {
        for (index, watch) in watches.enumerated() where patience(with: index, takesNew) != nil {
            let count = removals.values.count { $0 == index }
            let left =
                count > 0
                ? "\(count == 1 ? "a sent file stays" : "\(count) sent files stay") there until ferry starts again"
                : "what is new there is found when ferry starts again"
            note("\(watch.folder.path.text) does not answer: \(left)", .warning)
        }
    }

    func stop() async {
        isStopped = true
        follower?.cancel()
        reporting.finish()
        await withCheckedContinuation { done in
            // They may wait for a medium.
            DispatchQueue.global().async { [threads] in
                for thread in threads { thread.stop() }
                done.resume()
            }
        }
        reader?.cancel()
        wake()
    }

    /// Takes in all that has become of our uploads until now.
    private func catchUp() async {
        follower?.cancel()
        lastFollower += 1
        let number = lastFollower
        let updates = await queue.updates()
        for await update in updates {
            take(update, from: number)
            break
        }
        guard number == lastFollower, !isStopped else { return }
        follower = Task { [weak self] in
            for await update in updates { await self?.take(update, from: number) }
        }
    }

    private var isQuiet: Bool {
        isStopped || removals.isEmpty && states.withLock { $0.allSatisfy(\.isQuiet) }
    }

    /// Something went on.
    func wake() {
        if isQuiet { past.forget() }
        resumeWaiters()
    }

    private func resumeWaiters() {
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Tells the queue which folders are not there, for those who look at it.
    func tellAway() async {
        let now = report.filter { !$0.there }.map(\.folder)
        guard now != away else { return }
        away = now
        await queue.setAwayFolders(now)
    }

    func note(_ text: String, _ kind: Notice.Kind = .note) {
        if told.count < 10_000, !told.insert(text).inserted { return }
        tell(Notice(kind: kind, text: text))
    }

    func write(_ new: [WatchNote]) {
        gone.formUnion(new.lazy.filter { $0.fate == .gone }.map(\.path))
        do throws(JournalError) { try notes.write(new) } catch {
            note("\(error.summary): what was uploaded from watched folders may be sent again", .warning)
        }
    }
}

extension WatchState {
    /// True if all files that are there have been handed on.
    fileprivate var isQuiet: Bool { settling == 0 && (isScanned || place == nil && isKnown) }
}
