import FerryProtocols
import FerryTransfer

/// The state of one watched folder, without a clock or thread: the versions of its files, and the times of the next
/// checks. Each call of `work` returns reports about files that are complete or missing.
package struct WatchedTree {
    package typealias Instant = SuspendingClock.Instant

    /// The times between two full scans, on a local file system that reports changes and elsewhere.
    package static let (longRound, shortRound) = (Duration.seconds(60), Duration.seconds(10))
    /// The time between two searches for a watched folder that is missing.
    package static let absence = Duration.seconds(3)
    /// The time after which a notice reports a file that is unchanged but still open for writing.
    private static let openTimeout = Duration.seconds(60)

    /// The maximum number of disappeared folders whose files are checked one by one, and not by a full scan.
    private static let fewFolders = 4

    private let folder: WatchedFolder
    private let others: [LocalPath]
    /// The folders into which Ferry moves uploaded files, without symbolic links. They are not scanned.
    private var exceptions: [LocalPath] = []
    private let isTaken: @Sendable (LocalPath) -> Bool
    private var settling: StabilityTracker<Instant>
    /// The last reported version of each file, or the one passed to `init` as known.
    private var known: [LocalPath: FileIdentity]
    /// The path of the watched folder without symbolic links; nil while the folder is missing.
    private var root: LocalPath?
    private var rootDevice: UInt64?
    /// The time of the next full scan; nil if it is due now.
    private var nextRound: Instant?
    /// The reason, found at the last full scan, why the system does not report the changes of some folder.
    private var unwatched: UnwatchedFolder?
    /// True if the kernel reports which processes have a file open for writing, by device number of the file system.
    private var tellsWriters: [UInt64: Bool] = [:]
    private var inUse: Set<LocalPath> = []
    private var again: Set<LocalPath> = []
    /// The subfolders that were deleted, moved away or unmounted, according to events.
    private var goneFolders: Set<LocalPath> = []
    private var reported: Set<String> = []
    package private(set) var state = WatchState()
    private var reports: [WatchReport] = []

    /// - Parameters:
    ///   - known: The versions of files that must not be reported.
    ///   - isTaken: Returns whether a file belongs to another watched folder.
    package init(
        _ folder: WatchedFolder, known: [LocalPath: FileIdentity] = [:], exceptions: [LocalPath] = [],
        isTaken: @escaping @Sendable (LocalPath) -> Bool = { _ in false }
    ) {
        self.folder = folder
        self.known = known
        others = exceptions
        self.isTaken = isTaken
        settling = StabilityTracker(settle: folder.settle)
    }

    /// Returns the time at which `work` must be called even if no event comes; nil if it must be called now.
    package mutating func nextMoment() -> Instant? {
        guard let nextRound else { return nil }
        return settling.nextLook().map { min($0, nextRound) } ?? nextRound
    }

    /// Makes `work` report a file once more when it is complete, even if the same version was reported before.
    package mutating func lookAgain(at path: LocalPath, now: Instant) {
        again.insert(path)
        settling.notice(path, at: now)
    }

    /// Stores the known version of a file, which is not reported, and ends its checks until the next change.
    mutating func leave(_ path: LocalPath, _ identity: FileIdentity) {
        known[path] = identity
        forget(path)
    }

    private mutating func forget(_ path: LocalPath) {
        settling.forget(path)
        inUse.remove(path)
        again.remove(path)
    }

    /// Processes the events of the folder, scans it if a full scan is due, and checks the files that are due. The last
    /// report is the state of the folder.
    package mutating func work(
        _ happened: [FolderEvent], events: any FolderEvents, at now: Instant
    ) -> [WatchReport] {
        for event in happened { take(event, events, at: now) }
        takeGone(at: now)
        if nextRound.map({ $0 <= now }) ?? true { lookAtAll(events, at: now) }
        for path in settling.due(at: now) { look(at: path, now) }
        state.isKnown = true
        state.path = root
        state.inUse = inUse.count
        state.settling = settling.count - inUse.count
        defer { reports = [] }
        return reports + [.state(state)]
    }

    private mutating func take(_ event: FolderEvent, _ events: any FolderEvents, at now: Instant) {
        guard let root else { return }
        switch event {
        case .lost: nextRound = nil
        case .folderWent(root): nextRound = nil
        case .changed(let path):
            guard let names = path.names(below: root), folder.takes(names), !isTaken(path) else { return }
            inUse.remove(path)
            settling.notice(path, at: now)
        case .folderCame(let path):
            guard folder.isRecursive, let names = path.names(below: root),
                folder.patterns.enter(folder: names),
                !exceptions.contains(where: { $0 == path || path.isBelow($0) })
            else { return }
            take(round(events).look(into: path, below: root), at: now)
        case .folderWent(let gone): goneFolders.insert(gone)
        }
    }

    private mutating func takeGone(at now: Instant) {
        defer { goneFolders = [] }
        // Comparing each of a million files with thousands of folders takes longer than a new scan.
        guard goneFolders.count <= Self.fewFolders else {
            nextRound = nil
            return
        }
        for gone in goneFolders {
            for path in known.keys where path.isBelow(gone) { settling.notice(path, at: now) }
        }
    }

    private mutating func lookAtAll(_ events: any FolderEvents, at now: Instant) {
        guard let found = try? folder.path.resolved(), let rootFolder = try? SourceFolder(found) else {
            if root != nil || reported.isEmpty {
                let issue =
                    switch FileKind.of(folder.path, follows: true) {
                    case .file, .link, .special: "not a folder"
                    case .folder, .missing: "not there"
                    }
                say("\(folder.path.text) is \(issue); it is looked for")
            }
            (root, rootDevice) = (nil, nil)
            nextRound = now.advanced(by: Self.absence)
            return
        }
        if root == nil, state.isScanned || !reported.isEmpty { say("\(folder.path.text) is there now") }
        // The device number may have been reused for another volume.
        if rootDevice != rootFolder.device { tellsWriters = [:] }
        rootDevice = rootFolder.device
        if case .move(let goal) = folder.after, SourceFolder.device(holding: goal) != rootFolder.device {
            sayOnce(
                "files of \(folder.path.text) stay: \(goal.text) is on another file system, to which nothing is moved"
            )
        }
        root = found
        exceptions = others.map { (try? $0.resolved()) ?? $0 }
        let obstacle = Obstacle()
        let findings = round(events, obstacle).look(into: found, below: found)
        take(findings, at: now)
        if findings.isComplete { dropMissing(findings) }
        state.isScanned = true
        tell(obstacle.reason)
        let isFar = FileSystemKind.holding(found, rootFolder.device)?.isRemote ?? false
        nextRound = now.advanced(by: obstacle.reason == nil && !isFar ? Self.longRound : Self.shortRound)
    }

    /// The reason why the system does not report the changes of some folder, which the closure in `round` sets.
    private final class Obstacle {
        var reason: UnwatchedFolder?
    }

    private func round(_ events: any FolderEvents, _ obstacle: Obstacle? = nil) -> DirectoryScan {
        DirectoryScan(folder: folder, exceptions: exceptions) { path in
            if let reason = events.watch(path), reason != .gone { obstacle?.reason = reason }
        }
    }

    private mutating func take(_ findings: DirectoryScan.Findings, at now: Instant) {
        for (path, identity) in findings.files {
            if let before = known[path], before.isSameContent(as: identity) {
                known[path] = identity
            } else if !settling.contains(path), !isTaken(path) {
                settling.notice(path, at: now)
            }
        }
    }

    private mutating func dropMissing(_ findings: DirectoryScan.Findings) {
        let there = Set(findings.files.map(\.path))
        var devices: [LocalPath: UInt64?] = [:]
        for (path, identity) in known where !there.contains(path) {
            guard let parent = path.parent else { continue }
            let device = devices[parent] ?? SourceFolder.device(holding: parent)
            devices[parent] = device
            // A file on a volume that is not mounted does not count as missing.
            if device == identity.device, FileIdentity.ofName(path) == nil { drop(path) }
        }
    }

    private mutating func drop(_ path: LocalPath) {
        forget(path)
        if known.removeValue(forKey: path) != nil { reports.append(.gone(path)) }
    }

    private mutating func look(at path: LocalPath, _ now: Instant) {
        guard let identity = FileIdentity.ofName(path) else {
            // A parent may have disappeared with the volume: a full scan decides that.
            if known[path] == nil || SourceFolder.device(holding: path.parent ?? path) == known[path]?.device
            {
                return drop(path)
            }
            return forget(path)
        }
        if !again.contains(path), let before = known[path], before.isSameContent(as: identity) {
            return leave(path, identity)
        }
        guard settling.saw(path, identity, at: now) else {
            inUse.remove(path)
            return
        }
        check(path, identity, at: now)
    }

    /// Reports that an unchanged file is complete, or checks it again later if it is open for writing, has changed or
    /// cannot be read. A notice tells the user about a file that stays so.
    private mutating func check(_ path: LocalPath, _ identity: FileIdentity, at now: Instant) {
        do throws(UploadFailure) {
            let file = try SourceFile(resolved: path)
            let isKnown = tellsWriters[identity.device] ?? FileSystemKind.tellsWriters(path, identity.device)
            tellsWriters[identity.device] = isKnown
            if isKnown, file.hasWriters == true {
                inUse.insert(path)
                settling.isInUse(path, at: now)
                if let time = settling.stillness(of: path, at: now), time >= Self.openTimeout {
                    sayOnce("\(path.text) is still open for writing: it is uploaded when it is closed")
                }
                return
            }
            try file.check(identity)
            let names = root.flatMap { path.names(below: $0) } ?? [path.lastComponent]
            let name = String(decoding: Array(names.joined(separator: [0x2F])), as: UTF8.self)
            reports.append(.ready(.init(path: path, identity: identity, relativeName: name)))
            leave(path, identity)
        } catch {
            switch error.category {
            case .sourceChanged: settling.notice(path, at: now)
            default:
                inUse.insert(path)
                settling.isInUse(path, at: now)
                sayOnce("\(path.text) cannot be uploaded: \(error.reason(path))")
            }
        }
    }

    private mutating func tell(_ reason: UnwatchedFolder?) {
        defer { unwatched = reason }
        guard let reason, reason != unwatched else { return }
        let every = "it is looked into every \(Self.shortRound / .seconds(1)) s instead"
        switch reason {
        case .limit(let setting):
            say(
                "\(folder.path.text): the system does not report all changes there, as \(setting) is too low; \(every). `sysctl \(setting)` shows it, and root can raise it"
            )
        case .unsupported:
            #if os(Linux)
                say("\(folder.path.text): the system does not report changes there; \(every)")
            #endif
        case .gone: break
        }
    }

    private mutating func say(_ text: String) {
        reported.insert(text)
        reports.append(.notice(text))
    }

    private mutating func sayOnce(_ text: String) {
        // A folder whose files are all unreadable must not cause a line for each of a million files.
        guard reported.count < 1000, reported.insert(text).inserted else { return }
        reports.append(.notice(text))
    }
}
