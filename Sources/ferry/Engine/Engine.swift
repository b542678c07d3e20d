import FerryConnectivity
import FerryFiles
import FerryProtocols
import FerryTransfer
import FerryUploads

/// A running queue with its lock, journal, log and control socket.
struct Engine: Sendable {
    let queue: UploadQueue
    /// The configuration.
    let configuration: ConfigurationReloader
    /// The notices of the start: repairs by recovery, and parts that do not work.
    let notices: [Notice]
    private let runner: DestinationRunner
    private let control: ControlServer?
    /// The runner of hooks; nil without hooks.
    private let hooks: HookRunner?
    /// The watched folders; nil without any.
    private let watched: WatchedFolders?
    /// The notices after the start.
    let news: AsyncStream<Notice>
    private let telling: AsyncStream<Notice>.Continuation

    /// The queue for commands of this process.
    var client: EngineQueue { EngineQueue(queue: queue, configuration: configuration) }

    /// Locks the state folder and starts the queue.
    ///
    /// - Parameters:
    ///   - monitor: Reports the state of the network; nil assumes that it is always up.
    ///   - watches: The folders whose files are uploaded.
    /// - Throws: `JournalError`; `.inUse` if another process owns the queue.
    static func start(
        _ assembly: Assembly, monitor: (any LinkMonitor)?, watches: [Watch] = []
    ) async throws(JournalError) -> Engine {
        HTTPClientTransport.prepare()
        let state = assembly.state
        let directory = try StateDirectory(at: state)
        let lock = try await lock(directory)
        let log = TransferLog(folder: state)
        let (queue, runner) = assembly.queue(lock, monitors: [log])
        let (news, telling) = AsyncStream.makeStream(of: Notice.self, bufferingPolicy: .bufferingNewest(1000))
        let tell = { @Sendable (notice: Notice) in
            log.note(notice.line)
            telling.yield(notice)
            queue.tell(notice)
        }
        let configuration = ConfigurationReloader(
            assembly, queue: queue, runner: runner, watches: watches, tell: tell)
        // The socket is created before the queue writes anything: if no inode is free, the only one is that of the last
        // engine's socket.
        let control = Result { () throws(UploadFailure) in
            try ControlServer(queue: queue, configuration: configuration, folder: state)
        }
        let recovered: [RecoveryNotice]
        let watched: WatchedFolders?
        let updates: AsyncStream<QueueUpdate>?
        do throws(JournalError) {
            watched =
                watches.isEmpty
                ? nil
                : try await WatchedFolders(
                    watches, lock: lock, queue: queue,
                    destination: { runner.destinations.named[$0.destination.name] ?? $0.destination },
                    tell: tell, log: { log.note($0) })
            (recovered, updates) = try await start(
                queue, monitor: monitor, isFollowed: assembly.configuration.followsQueue)
        } catch {
            try? control.get().stop()
            throw error
        }
        var notices = assembly.configuration.warnings.map { Notice(kind: .warning, text: $0) }
        if let warning = directory.fileSystemWarning { notices.append(Notice(kind: .warning, text: warning)) }
        notices += recovered.map { Notice(kind: .note, text: $0.summary) }
        switch control {
        case .success(let server): server.start(watched.map { WatchReporter(watches: watches, folders: $0) })
        case .failure(let failure):
            // Without the socket the queue still works.
            let text = "\(failure.summary): other commands cannot reach this queue while it runs"
            notices.append(Notice(kind: .note, text: text))
        }
        for notice in notices { log.note(notice.line) }
        var hooks: HookRunner?
        if let updates {
            let runner = HookRunner(
                assembly.configuration.hooks, assembly.configuration.notify, queue: queue
            ) { log.note($0) }
            await runner.follow(updates)
            hooks = runner
        }
        await watched?.start()
        return Engine(
            queue: queue, configuration: configuration, notices: notices, runner: runner,
            control: try? control.get(), hooks: hooks,
            watched: watched, news: news, telling: telling)
    }

    /// Starts the queue and follows it in one step, so that no end of an upload is missed.
    private static func start(
        _ queue: isolated UploadQueue, monitor: (any LinkMonitor)?, isFollowed: Bool
    ) throws(JournalError) -> ([RecoveryNotice], AsyncStream<QueueUpdate>?) {
        let recovered = try queue.start(monitor: monitor, suspensions: SuspensionMonitor())
        return (recovered, isFollowed ? queue.updates() : nil)
    }

    /// Takes the lock, waiting a moment for a command that holds it.
    private static func lock(_ directory: StateDirectory) async throws(JournalError) -> StateLock {
        let limit = ContinuousClock.now.advanced(by: .seconds(60))
        var (holder, since) = (Int32?.none, ContinuousClock.now)
        while true {
            do throws(JournalError) { return try directory.lock() } catch {
                guard case .inUse(let pid, _, _) = error else { throw error }
                // An engine listens on its socket; a command does not, and ends soon. There may be many commands.
                if pid != holder { (holder, since) = (pid, .now) }
                guard !ControlClient(folder: directory.path).isAnswered, .now < limit,
                    .now < since.advanced(by: .seconds(2))
                else { throw error }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// The reason why results of uploads are not on disk after `stop`, and must be found again at the next start; nil
    /// if they are.
    var unsaved: CommandFailure? {
        get async {
            let status = await queue.status
            guard status.storage == .refusing, let notice = status.notice else { return nil }
            return CommandFailure(refused: notice)
        }
    }

    /// Returns when nothing is left to do and all hooks of past events have ended, with the commands that they gave.
    func waitUntilIdle() async {
        repeat { await queue.waitUntilIdle() } while await isContinued(takesNew: true)
    }

    /// Waits for the work after uploads; true if hooks or a watched folder may have given the queue new work.
    private func isContinued(takesNew: Bool) async -> Bool {
        let hasFound = await watched?.finish(takesNew: takesNew) ?? false
        let hasRun = await hooks?.finish() ?? false
        return hasFound || hasRun
    }

    /// Returns like `waitUntilIdle`, once the queue was asked to finish.
    func waitUntilFinished() async {
        repeat { await queue.waitUntilFinished() } while await isContinued(takesNew: false)
    }

    /// Stops all uploads, saves, and releases everything. Nothing acknowledged is lost without this call either.
    func stop() async {
        control?.stop()
        await watched?.stop()
        await queue.stop()
        await hooks?.stop()
        await runner.shutdown()
        telling.finish()
    }
}
