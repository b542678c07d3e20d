import FerryProtocols
import FerryUploads
import Synchronization

/// The current configuration of a running engine. Reloads run one after the other, and each checks the new
/// configuration completely before any part takes effect.
actor ConfigurationReloader {
    enum Extent {
        case everything
        /// The new destinations alone, for a command that names an unknown one. No user asked for a reload, so the file
        /// may still be in the middle of an edit.
        case newDestinations
    }

    private let first: Configuration
    private let held: Mutex<Assembly>
    private let queue: UploadQueue
    private let runner: DestinationRunner
    private let watches: [Watch]
    private let tell: @Sendable (Notice) -> Void
    private var last: Task<Result<ReloadReport, UploadFailure>, Never>?

    // Reading the file may block on a volume that hangs, so the actor has its own thread.
    private nonisolated let executor = DiskExecutor(label: "configuration")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter watches: The folders that the engine watches until it ends, whatever later configurations contain.
    init(
        _ assembly: Assembly, queue: UploadQueue, runner: DestinationRunner, watches: [Watch],
        tell: @escaping @Sendable (Notice) -> Void
    ) {
        first = assembly.configuration
        held = Mutex(assembly)
        self.queue = queue
        self.runner = runner
        self.watches = watches
        self.tell = tell
    }

    nonisolated var assembly: Assembly { held.withLock { $0 } }

    nonisolated var destinations: Destinations { runner.destinations }

    /// Reads the configuration file again and applies all changes, or only new destinations.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if the file is invalid or cannot be read, or if a watched folder cannot
    ///   use its destination any more. Nothing has then changed.
    func reload(_ extent: Extent = .everything) async throws(UploadFailure) -> ReloadReport {
        let before = last
        let task = Task {
            _ = await before?.value
            return await Result.awaiting { () async throws(UploadFailure) in try await self.readAgain(extent)
            }
        }
        last = task
        return try await task.value.get()
    }

    private func readAgain(_ extent: Extent) async throws(UploadFailure) -> ReloadReport {
        let old = assembly
        let read = try old.readAgain()
        let (new, changes) = try taking(extent, of: read, after: old)
        let runner = runner
        let destinations = new.destinations(after: old, runner.destinations)
        for watch in watches {
            if let goal = destinations.named[watch.destination.name] { try watch.check(goal) }
        }
        let isOther = new.configuration != old.configuration
        if isOther {
            await queue.apply(new.queueConfiguration) { runner.destinations = destinations }
            held.withLock { $0 = new }
        }
        let known = old.configuration.warnings
        let report = ReloadReport(
            file: new.source?.file ?? "", changes: changes, retry: await uploadsToRetry(after: changes),
            warnings: new.configuration.warnings.filter { !known.contains($0) })
        let leavesRest = new.configuration != read.configuration
        // The user must also learn that the file removed a destination which a watched folder still uses.
        if isOther || leavesRest && extent == .everything { tell(report, leavesRest: leavesRest, extent) }
        return report
    }

    /// Returns an assembly with the configuration that takes effect, and its differences from that of `old`. `read` has
    /// the whole configuration in the file.
    private func taking(
        _ extent: Extent, of read: Assembly, after old: Assembly
    ) throws(UploadFailure) -> (Assembly, ConfigurationChanges) {
        switch extent {
        case .newDestinations:
            let new = old.adding(read.configuration.destinations)
            return (
                new,
                ConfigurationChanges(from: old.configuration, to: new.configuration, since: new.configuration)
            )
        case .everything:
            // The engine still watches its folders, so it keeps their destinations even if the file has removed them.
            let needed = Set(watches.map(\.destination.name))
                .subtracting(read.configuration.destinations.keys)
            let new = read.adding(old.configuration.destinations.filter { needed.contains($0.key) })
            var changes = ConfigurationChanges(from: old.configuration, to: new.configuration, since: first)
            changes.wait(
                leadingTo: try read.watches().map(\.to), insteadOf: watches.map(\.to),
                keeping: needed.intersection(new.configuration.destinations.keys))
            return (new, changes)
        }
    }

    /// Returns the uploads that possibly succeed with the new configuration: their destination was missing or
    /// elsewhere, or they lacked valid credentials.
    private func uploadsToRetry(after changes: ConfigurationChanges) async -> [Upload.ID] {
        let (destinations, changed) = (runner.destinations, Set(changes.changed))
        return await queue.all.filter { upload in
            upload.failedForItsDestination && destinations.take(upload.target)
                || upload.needsSignIn && changed.contains(upload.target.destination)
        }.map(\.id)
    }

    private func tell(_ report: ReloadReport, leavesRest: Bool, _ extent: Extent) {
        var lines = report.lines
        if extent == .newDestinations, leavesRest {
            lines.append("other changes take effect after `ferry reload`")
        }
        tell(Notice(kind: .note, text: lines.joined(separator: "; ")))
        for warning in report.warnings { tell(Notice(kind: .warning, text: warning)) }
    }
}
