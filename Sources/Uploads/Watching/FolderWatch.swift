import Dispatch
import FerryFiles
import FerryTransfer
import Synchronization

/// The watch of one folder on a separate thread, so that a folder on a hanging volume delays no other.
package final class FolderWatch: Sendable {
    /// The way in which an uploaded file is removed from the folder.
    package enum Removal: Hashable, Sendable {
        case delete
        case move(to: LocalPath, names: [[UInt8]])
    }

    private enum Order {
        case lookAgain(LocalPath)
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
    ///   - events: Creates the source of folder events. Only the watching thread calls this and uses the source.
    ///   - report: Called on the watching thread with the reports of one round of work.
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

    /// Makes the watch report the file once more, as soon as it has been unchanged for long enough.
    package func lookAgain(at path: LocalPath) { order(.lookAgain(path)) }

    /// Removes an uploaded file from the folder. The outcome is reported as `WatchReport.removed`.
    package func remove(_ file: UploadedFileDisposal, by removal: Removal) { order(.remove(file, removal)) }

    /// Ends the thread and waits for it, at most one second, because its volume may hang.
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
