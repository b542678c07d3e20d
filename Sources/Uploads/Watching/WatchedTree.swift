import FerryProtocols
import FerryTransfer

/// The files in a watched folder as far as they are known, and what there is to do about them next.
///
/// Looks at files when it is told to, by the moments it is given: no clock, no thread, no wait.
package struct WatchedTree {
    package typealias Instant = SuspendingClock.Instant

    /// The time between two looks at everything, where changes are told, and where they are not.
    package static let (longRound, shortRound) = (Duration.seconds(60), Duration.seconds(10))
    /// The time between two looks for a folder that is not there.
    package static let absence = Duration.seconds(3)
    /// A file that is held open for so long after its last change is told of.
    private static let openTimeout = Duration.seconds(60)

    /// The number of folders that are gone through one by one if they went at once.
    private static let fewFolders = 4

    private let folder: WatchedFolder
    private let others: [LocalPath]
    /// The same without symbolic links on them.
    private var exceptions: [LocalPath] = []
    private let isTaken: @Sendable (LocalPath) -> Bool
    private var settling: StabilityTracker<Instant>
    /// The version of each file that was handed on, or need not be.
    private var known: [LocalPath: FileIdentity]
    /// The path of the folder, without a symbolic link; nil while it is not there.
    private var root: LocalPath?
    private var rootDevice: UInt64?
    private var nextRound: Instant?
    /// The reason why it hears of no changes.
    private var deafness: UnwatchedFolder?
    /// The file systems that tell who has a file open to write to it, and those that do not.
    private var tellsWriters: [UInt64: Bool] = [:]
    private var inUse: Set<LocalPath> = []
    /// The files to be told once more, whatever is known of them.
    private var again: Set<LocalPath> = []
    /// The folders that went in this round.
    private var goneFolders: Set<LocalPath> = []
    private var told: Set<String> = []
    package private(set) var state = WatchState()
    private var reports: [WatchReport] = []

    /// - Parameters:
    ///   - known: Versions of files that are not to be told.
    ///   - exceptions: Folders that are not looked into.
    ///   - isTaken: Whether a file belongs to another watched folder.
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

    /// Returns when there is something to do without an event; nil for at once.
    package mutating func nextMoment() -> Instant? {
        guard let nextRound else { return nil }
        return settling.nextLook().map { min($0, nextRound) } ?? nextRound
    }

    /// A file is to be told once more when it has settled, in whatever version.
    package mutating func lookAgain(at path: LocalPath, now: Instant) {
        again.insert(path)
        settling.notice(path, at: now)
    }

    /// Its version counts as told.
    package mutating func leave(_ path: LocalPath, _ identity: FileIdentity) {
        known[path] = identity
        forget(path)
    }

    private mutating func forget(_ path: LocalPath) {
        settling.forget(path)
        inUse.remove(path)
        again.remove(path)
    }

    /// - Returns: What came of it, with how things are in the end.
    package mutating func work(
        _ happened: [FolderEvent], events: any FolderEvents, at now: Instant
    ) -> [WatchReport] {
        for event in happened { take(event, events, at: now) }
        takeGone(at: now)
        if nextRound.map({ $0 <= now }) ?? true { lookAtAll(events, at: now) }
        for path in settling.due(at: now) { look(at: path, now) }
        state.isKnown = true
        state.place = root
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
        // Whether each of a million files was in one of thousands takes longer than to look what is there.
        guard goneFolders.count <= Self.fewFolders else {
            nextRound = nil
            return
        }
        for gone in goneFolders {
            for path in known.keys where path.isBelow(gone) { settling.notice(path, at: now) }
        }
    }

    private mutating func lookAtAll(_ events: any FolderEvents, at now: Instant) {
        guard let found = try? folder.path.resolved(), let place = try? SourceFolder(found) else {
            if root != nil || told.isEmpty {
                let issue =
                    switch FileKind.of(folder.path, follows: true) {
                    case .file, .link, .special: "no folder"
                    case .folder, .missing: "not there"
                    }
                say("\(folder.path.text) is \(issue); it is looked for")
            }
            (root, rootDevice) = (nil, nil)
            nextRound = now.advanced(by: Self.absence)
            return
        }
        if root == nil, state.isScanned || !told.isEmpty { say("\(folder.path.text) is there now") }
        // Numbers of devices are given again.
        if rootDevice != place.device { tellsWriters = [:] }
        rootDevice = place.device
        if case .move(let goal) = folder.after, SourceFolder.device(holding: goal) != place.device {
            sayOnce(
                "files of \(folder.path.text) stay: \(goal.text) is on another file system, to which nothing is moved"
            )
        }
        root = found
        exceptions = others.map { (try? $0.resolved()) ?? $0 }
        let deaf = Deafness()
        let findings = round(events, deaf).look(into: found, below: found)
        take(findings, at: now)
        if findings.isComplete { dropMissing(findings) }
        state.isScanned = true
        tell(deaf.reason)
        let isFar = FileSystemKind.holding(found, place.device)?.isRemote ?? false
        nextRound = now.advanced(by: deaf.reason == nil && !isFar ? Self.longRound : Self.shortRound)
    }

    /// The reason why some folder is not heard of.
    private final class Deafness {
        var reason: UnwatchedFolder?
    }

    private func round(_ events: any FolderEvents, _ deafness: Deafness? = nil) -> DirectoryScan {
        DirectoryScan(folder: folder, exceptions: exceptions) { path in
            if let reason = events.watch(path), reason != .gone { deafness?.reason = reason }
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
            // What was on a medium that is away is not gone.
            if device == identity.device, FileIdentity.ofName(path) == nil { drop(path) }
        }
    }

    private mutating func drop(_ path: LocalPath) {
        forget(path)
        if known.removeValue(forKey: path) != nil { reports.append(.gone(path)) }
    }

    private mutating func look(at path: LocalPath, _ now: Instant) {
        guard let identity = FileIdentity.ofName(path) else {
            // A folder above it may have gone with the medium: that is for a look at all to say.
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

    /// Checks a file that has kept still. Only the system can say whether that is for good, where it does.
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
        defer { deafness = reason }
        guard let reason, reason != deafness else { return }
        let every = "it is looked into every \(Self.shortRound / .seconds(1)) s instead"
        switch reason {
        case .limit(let setting):
            say(
                "\(folder.path.text): the system does not tell of all changes there, as \(setting) is too low; \(every). `sysctl \(setting)` shows it, and root can raise it"
            )
        case .unsupported:
            #if os(Linux)
                say("\(folder.path.text): the system does not tell of changes there; \(every)")
            #endif
        case .gone: break
        }
    }

    private mutating func say(_ text: String) {
        told.insert(text)
        reports.append(.notice(text))
    }

    private mutating func sayOnce(_ text: String) {
        // A folder in which nothing can be read needs no line for each file of a million.
        guard told.count < 1000, told.insert(text).inserted else { return }
        reports.append(.notice(text))
    }
}
