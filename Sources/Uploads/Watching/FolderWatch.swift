import Dispatch
import FerryTransfer
import Synchronization

/// A watcher of one folder, with a thread of its own: a slow volume does not delay other folders.
package final class FolderWatch: Sendable {
    /// The way to remove an uploaded file. `names` are the folders below the target folder `to`, and the new name.
    package enum Removal: Hashable, Sendable {
        case delete
        case move(to: LocalPath, names: [[UInt8]])
    }

    private enum Request {
        case lookAgain(LocalPath)
        case remove(UploadedFileDisposal, Removal)
    }

    private struct Inbox {
        var requests: [Request] = []
        var isStopped = false
    }

    private let inbox = Mutex(Inbox())
    private let wakeup: WakeupPipe
    private let ended = DispatchSemaphore(value: 0)

    /// Creates a watcher for `start`. Throws `SystemCallError` if no file descriptor is free.
    package init() throws(SystemCallError) { wakeup = try WakeupPipe() }

    /// Starts the thread that watches the folder. On it, `events` creates the source of events, and `report` receives
    /// new reports.
    package func start(
        _ tree: WatchedTree,
        events: @escaping @Sendable () -> any FolderEvents = FolderWatch.systemEvents,
        report: @escaping @Sendable ([WatchReport]) -> Void
    ) {
        DetachedThread.start { [self] in
            run(tree, events(), report)
            ended.signal()
        }
    }

    package static let systemEvents: @Sendable () -> any FolderEvents = {
        do throws(UnwatchedFolder) { return try SystemFolderEvents() } catch {
            return NoFolderEvents(because: error)
        }
    }

    /// Makes the watcher report a file again when it is complete, even in the same version as before.
    package func lookAgain(at path: LocalPath) { request(.lookAgain(path)) }

    /// Requests the removal of an uploaded file, whose outcome the thread reports. Returns at once.
    package func remove(_ file: UploadedFileDisposal, by removal: Removal) { request(.remove(file, removal)) }

    /// Asks the thread to end, and waits for it at most one second, because the volume may not respond.
    package func stop() {
        cancel()
        _ = ended.wait(timeout: .now() + .seconds(1))
    }

    /// Asks the thread to end, and returns at once.
    package func cancel() {
        inbox.withLock { $0.isStopped = true }
        wakeup.ring()
    }

    private func request(_ request: Request) {
        inbox.withLock { $0.requests.append(request) }
        wakeup.ring()
    }

    private func run(
        _ tree: WatchedTree, _ events: any FolderEvents, _ report: ([WatchReport]) -> Void
    ) {
        var tree = tree
        var happened: [FolderEvent] = []
        while true {
            let (requests, isStopped) = inbox.withLock { inbox in
                defer { inbox.requests = [] }
                return (inbox.requests, inbox.isStopped)
            }
            guard !isStopped else { return }
            var reports: [WatchReport] = []
            for request in requests {
                switch request {
                case .lookAgain(let path): tree.lookAgain(at: path, now: .now)
                case .remove(let file, let removal):
                    let outcome = remove(file, removal)
                    reports.append(.removed(file.path, outcome))
                    if outcome == .changed { tree.lookAgain(at: file.path, now: .now) }
                }
            }
            reports += tree.work(happened, events: events, at: .now)
            report(reports)
            let wait = tree.nextMoment().map { max(.zero, SuspendingClock.now.duration(to: $0)) } ?? .zero
            happened = events.wait(for: wakeup, upTo: wait)
        }
    }

    private func remove(_ file: UploadedFileDisposal, _ removal: Removal) -> UploadedFileDisposal.Outcome {
        switch removal {
        case .delete: file.delete()
        case .move(let folder, let names): file.move(to: folder, as: names)
        }
    }
}
