import Foundation
import Synchronization
import Transfer
import UploadProtocols
import Uploads

/// The configuration that a running engine goes by, and the one way in which another takes its place.
///
/// All of the new one is checked before any of it holds. Who asks while it is read waits, and it is read once more.
actor LiveConfiguration {
    private let first: Configuration
    private let held: Mutex<Assembly>
    private let queue: UploadQueue
    private let runner: DestinationRunner
    private let watches: [Watch]
    private let tell: @Sendable (Notice) -> Void
    private var last: Task<Result<ReloadReport, UploadFailure>, Never>?

    // A file may be on a medium that hangs.
    private nonisolated let executor = DiskExecutor(label: "configuration")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - assembly: What the engine was made by.
    ///   - watches: The folders that it watches until it ends, whatever a configuration says.
    ///   - tell: Takes what a person should know.
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

    /// By which the engine goes now.
    nonisolated var assembly: Assembly { held.withLock { $0 } }

    /// Reads the file again.
    ///
    /// - Throws: `UploadFailure` (`permanent`) that says what is wrong with it; then everything is as it was.
    func reload() async throws(UploadFailure) -> ReloadReport {
        let before = last
        let task = Task { () -> Result<ReloadReport, UploadFailure> in
            _ = await before?.value
            do throws(UploadFailure) { return .success(try await self.readAgain()) } catch {
                return .failure(error)
            }
        }
        last = task
        return try await task.value.get()
    }

    private func readAgain() async throws(UploadFailure) -> ReloadReport {
        let old = assembly
        let new = try old.readAgain()
        _ = try new.watches()
        var changes = ConfigurationChanges(from: old.configuration, to: new.configuration, since: first)
        // What is still watched still has to go somewhere.
        let needed = Set(watches.map(\.destination.name).filter { !$0.isEmpty })
            .subtracting(new.configuration.destinations.keys)
        changes.removed.removeAll(where: needed.contains)
        changes.atNextStart += needed.sorted().map { "destinations.\($0)" }
        let runner = runner
        let destinations = new.destinations(after: old, runner.destinations, keeping: needed)
        try check(destinations)
        let isOther = new.configuration != old.configuration
        if isOther {
            await queue.apply(new.queueConfiguration) { runner.destinations = destinations }
            held.withLock { $0 = new }
        }
        let known = old.configuration.warnings
        let report = ReloadReport(
            file: new.source?.file ?? "", changes: changes, retry: await uploadsToRetry,
            warnings: new.configuration.warnings.filter { !known.contains($0) })
        if isOther { tell(report) }
        return report
    }

    private var uploadsToRetry: [Upload.ID] {
        get async {
            let destinations = runner.destinations
            return await queue.all.filter { $0.failedForItsDestination && destinations.take($0) }.map(\.id)
        }
    }

    private func tell(_ report: ReloadReport) {
        tell(Notice(kind: .note, text: report.lines.joined(separator: "; ")))
        for warning in report.warnings { tell(Notice(kind: .warning, text: warning)) }
    }

    /// What is watched would come to one and the same place.
    private func check(_ destinations: Destinations) throws(UploadFailure) {
        for watch in watches {
            if let new = destinations.named[watch.destination.name] { try NewUploads.check(2, for: new) }
        }
    }

    /// Reads the file again if uploads are to be added that go where the configuration does not lead yet.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if it knows one of their destinations not even then.
    func prepare(for command: QueueCommand) async throws(UploadFailure) {
        let targets = Self.targets(of: command)
        guard !targets.allSatisfy(runner.destinations.lead) else { return }
        let outcome: Result<ReloadReport, UploadFailure>
        do throws(UploadFailure) { outcome = .success(try await reload()) } catch {
            outcome = .failure(error)
        }
        let known = runner.destinations.named
        // One that is there in another way is refused, if it has to be, when the upload runs.
        guard let missing = targets.lazy.map(\.destination).first(where: { !$0.isEmpty && known[$0] == nil })
        else { return }
        switch outcome {
        case .success(let report):
            throw UploadFailure(
                .permanent,
                "the running ferry has no destination \(missing), also now that it has read \(report.file) again",
                hint: "define it there; or end the ferry that runs (`ferry stop`)")
        case .failure(let failure):
            throw UploadFailure(
                .permanent,
                "the running ferry does not know the destination \(missing) yet: \(failure.summary)",
                hint: failure.hint)
        }
    }

    /// Where the command adds uploads: one for each destination and address.
    private static func targets(of command: QueueCommand) -> [Upload.Target] {
        guard case .add(let new) = command else {
            if case .addMissing(let new) = command { return targets(of: .add(new)) }
            return []
        }
        struct Place: Hashable {
            var destination, url, method: String
        }
        var known: Set<Place> = []
        return new.lazy.map(\.target).filter {
            known.insert(Place(destination: $0.destination, url: $0.url, method: $0.method)).inserted
        }
    }
}
