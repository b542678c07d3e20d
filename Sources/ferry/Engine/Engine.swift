import Connectivity
import Foundation
import Transfer
import UploadProtocols
import Uploads

/// A running queue with everything around it: the lock, the journal, the log and the control socket.
struct Engine: Sendable {
    let queue: UploadQueue
    /// What recovery had to put right, for people.
    let notices: [RecoveryNotice]
    private let runner: DestinationRunner
    private let control: ControlServer?

    /// Takes the state folder and starts the queue.
    ///
    /// - Parameter monitor: Tells of the network; nil takes it to be always there.
    /// - Throws: `JournalError`; `.inUse` if another process has the queue.
    static func start(
        _ assembly: Assembly, state: LocalPath, monitor: (any LinkMonitor)?
    ) async throws(JournalError) -> Engine {
        let directory = try StateDirectory(at: state)
        let lock = try directory.lock()
        let log = TransferLog(folder: state)
        let (queue, runner) = assembly.queue(journal: FileJournal(lock), monitors: [log])
        let notices = try await queue.start(monitor: monitor)
        for notice in notices { log.note(notice.summary) }
        // Without the socket the queue still works; only other commands cannot reach it, and they will say so.
        let control = try? ControlServer(queue: queue, folder: state)
        control?.start()
        return Engine(queue: queue, notices: notices, runner: runner, control: control)
    }

    /// Stops all uploads, saves and lets go of everything. Nothing acknowledged is lost without this either.
    func stop() async {
        control?.stop()
        await queue.stop()
        await runner.shutdown()
    }
}
