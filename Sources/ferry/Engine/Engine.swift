import FerryConnectivity
import FerryProtocols
import FerryTransfer
import FerryUploads

/// A running queue with its lock, journal, log, control socket, hooks and watched folders.
struct Engine: Sendable {
    let queue: UploadQueue
    let configuration: ConfigurationReloader
    /// The messages to the user about the start: warnings, and repairs of the queue's files.
    let notices: [Notice]
    private let runner: DestinationRunner
    private let control: ControlServer?
    /// The runner of hooks and desktop notifications; nil if the configuration has neither.
    private let hooks: HookRunner?
    private let watched: WatchedFolders?
    /// The messages to the user after the start, about reloads of the configuration and about watched folders.
    let news: AsyncStream<Notice>
    private let telling: AsyncStream<Notice>.Continuation

    var client: EngineQueue { EngineQueue(queue: queue, configuration: configuration) }

    /// Locks the state folder and starts the queue.
    ///
    /// - Parameter monitor: The monitor of the network; nil if the network counts as always up.
    /// - Throws: `JournalError` if the queue cannot be opened: `.inUse` if another process owns the queue.
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
        // The socket is created before the queue writes files. On a full file system, the only free inode may be that
        // of the previous engine's socket.
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
        try? control.get().start {
            watched.map { zip(watches, $0.states).map { EngineReport.Watched($0, $1) } }
        }
        let notices = notices(assembly.configuration, directory, recovered, control)
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
            control: try? control.get(), hooks: hooks, watched: watched, news: news, telling: telling)
    }

    private static func notices(
        _ configuration: Configuration, _ directory: StateDirectory, _ recovered: [RecoveryNotice],
        _ control: Result<ControlServer, UploadFailure>
    ) -> [Notice] {
        var notices = configuration.warnings.map { Notice(kind: .warning, text: $0) }
        if let warning = directory.fileSystemWarning {
            notices.append(Notice(kind: .warning, text: "\(warning); --state-dir names one"))
        }
        notices += recovered.map { Notice(kind: .note, text: $0.summary) }
        if case .failure(let failure) = control {
            // The queue also works without the socket.
            let text = "\(failure.summary): other commands cannot reach this queue while it runs"
            notices.append(Notice(kind: .note, text: text))
        }
        return notices
    }

    /// Starts the queue and, if `isFollowed`, subscribes to its updates. Nothing can change the queue between these two
    /// steps, so hooks miss no event.
    private static func start(
        _ queue: isolated UploadQueue, monitor: (any LinkMonitor)?, isFollowed: Bool
    ) throws(JournalError) -> ([RecoveryNotice], AsyncStream<QueueUpdate>?) {
        let recovered = try queue.start(monitor: monitor, suspensions: SuspensionMonitor())
        return (recovered, isFollowed ? queue.updates() : nil)
    }

    /// Locks the state folder. Throws `.inUse` at once if an engine holds the lock. Waits up to 2 seconds for each
    /// command that holds it, and up to 60 seconds in total.
    private static func lock(_ directory: StateDirectory) async throws(JournalError) -> StateLock {
        let limit = ContinuousClock.now.advanced(by: .seconds(60))
        var (holder, since) = (Int32?.none, ContinuousClock.now)
        while true {
            do throws(JournalError) { return try directory.lock() } catch {
                guard case .inUse(let pid, _, _) = error else { throw error }
                // An engine listens on its socket. A command does not, and ends soon.
                if pid != holder { (holder, since) = (pid, .now) }
                guard !ControlClient(folder: directory.path).hasListener, .now < limit,
                    .now < since.advanced(by: .seconds(2))
                else { throw error }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// The failure to report after `stop` if the queue could not save to disk how uploads ended.
    var unsaved: CommandFailure? {
        get async {
            let status = await queue.status
            guard status.storage == .refusing, let notice = status.notice else { return nil }
            return CommandFailure(refused: notice)
        }
    }

    /// Waits until no upload runs or will start without a user's action, and all hooks have ended. Includes uploads
    /// that a hook or a watched folder adds meanwhile.
    func waitUntilIdle() async {
        repeat { await queue.waitUntilIdle() } while await isContinued(takesNew: true)
    }

    /// Waits until the watched folders and the hooks have no work left. Returns true if they did any, because it
    /// possibly added uploads to the queue.
    ///
    /// - Parameter takesNew: False to wait only until uploaded files are removed from the folders.
    private func isContinued(takesNew: Bool) async -> Bool {
        let hasFound = await watched?.finish(takesNew: takesNew) ?? false
        let hasRun = await hooks?.finish() ?? false
        return hasFound || hasRun
    }

    /// Waits until a client sends the command `stopWhenIdle` or the queue stops, and then until uploads, hooks and the
    /// removal of uploaded files have ended.
    func waitUntilFinished() async {
        repeat { await queue.waitUntilFinished() } while await isContinued(takesNew: false)
    }

    func stop() async {
        control?.stop()
        await watched?.stop()
        await queue.stop()
        await hooks?.stop()
        await runner.shutdown()
        telling.finish()
    }
}
