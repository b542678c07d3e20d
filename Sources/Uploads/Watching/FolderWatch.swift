import Dispatch
import FerryFiles
import FerryTransfer
import Synchronization

/// Watches one folder on a thread of its own: a folder on a hanging volume delays no other.
package final class FolderWatch: Sendable {
    /// The treatment of a file that has been uploaded.
    package enum Removal: Hashable, Sendable {
        case delete
        case move(to: LocalPath, names: [[UInt8]])
    }

    private enum Order {
        case lookAgain(LocalPath)
        case leave(LocalPath, FileIdentity)
        case remove(UploadedFileDisposal, Removal)
    }

    private struct Inbox {
        var orders: [Order] = []
        var isStopped = false
    }

    private let inbox = Mutex(Inbox())
    private let alarm: WakeupPipe
    private let ended = DispatchSemaphore(value: 0)

    /// - Throws: `SystemCallError` if there is no descriptor left.
    package init() throws(SystemCallError) { alarm = try WakeupPipe() }

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - events: Creates the event source; called and used on the thread.
    ///   - report: Called on the thread with the reports of one round.
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

    /// Reports the file once more when it has settled.
    package func lookAgain(at path: LocalPath) { order(.lookAgain(path)) }

    /// Marks this version of the file as reported.
    package func leave(_ path: LocalPath, _ identity: FileIdentity) { order(.leave(path, identity)) }

    /// Removes a file from the folder; `removed` is reported.
    package func remove(_ file: UploadedFileDisposal, by removal: Removal) { order(.remove(file, removal)) }

    /// Returns when the thread has ended, or after a second if the volume hangs.
    package func stop() {
        cancel()
        _ = ended.wait(timeout: .now() + .seconds(1))
    }

    /// Asks the thread to end, without waiting for it.
    package func cancel() {
        inbox.withLock { $0.isStopped = true }
        alarm.ring()
    }

    private func order(_ order: Order) {
        inbox.withLock { $0.orders.append(order) }
        alarm.ring()
    }

    private func run(
        _ tree: WatchedTree, _ events: any FolderEvents, _ report: ([WatchReport]) -> Void
    ) {
        var tree = tree
        var happened: [FolderEvent] = []
        while true {
            let (orders, isStopped) = inbox.withLock { inbox in
                defer { inbox.orders = [] }
                return (inbox.orders, inbox.isStopped)
            }
            guard !isStopped else { return }
            var reports: [WatchReport] = []
            for order in orders {
                switch order {
                case .lookAgain(let path): tree.lookAgain(at: path, now: .now)
                case .leave(let path, let identity): tree.leave(path, identity)
                case .remove(let file, let removal):
                    let outcome = remove(file, removal)
                    reports.append(.removed(file.path, outcome))
                    if outcome == .changed { tree.lookAgain(at: file.path, now: .now) }
                }
            }
            reports += tree.work(happened, events: events, at: .now)
            report(reports)
            let wait = tree.nextMoment().map { max(.zero, SuspendingClock.now.duration(to: $0)) } ?? .zero
            happened = events.wait(for: alarm, upTo: wait)
        }
    }

    private func remove(_ file: UploadedFileDisposal, _ removal: Removal) -> UploadedFileDisposal.Outcome {
        switch removal {
        case .delete: file.delete()
        case .move(let folder, let names): file.move(to: folder, as: names)
        }
    }
}
