import Synchronization

/// A monitor of this machine's network. It reports whether the network permits a connection to a destination, and the
/// kind of interface that carries the traffic.
///
/// The status is only a hint: a machine that seems offline can have a route that the monitor does not see. Use the
/// status to time a retry, not to prevent a first attempt.
///
/// The listener (`start`), the readers (`statuses`) and the waiters (`waitUntilReachable`) of a monitor share one
/// watcher, which ends when none of them is left. On Linux, the watcher uses a thread and three descriptors.
public final class ConnectivityMonitor: Sendable {
    private let watch: SharedWatch
    private let listener = Mutex<Task<Void, Never>?>(nil)

    /// Watches the network of this machine. On Linux, it is the network namespace of the thread that begins the watch
    /// by calling `start`, `statuses` or `waitUntilReachable`.
    ///
    /// - Parameter onDiagnostic: Receives a message, on any thread, if the network cannot be watched completely.
    public init(onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }) {
        let monitor = SystemLinkMonitor(onDiagnostic: onDiagnostic)
        watch = SharedWatch { monitor.connectivity() }
    }

    /// Watches one destination. A destination on this machine (a loopback name or address, or a Unix socket) is always
    /// reachable. For any other, the monitor reports the status of this machine's network.
    ///
    /// - Parameters:
    ///   - host: The host as in a URL, with or without brackets, or the path of a Unix socket, plain or
    ///     percent-encoded.
    ///   - onDiagnostic: Receives a message, on any thread, if the network cannot be watched completely.
    public convenience init(host: String, onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }) {
        let monitor = SystemLinkMonitor(onDiagnostic: onDiagnostic)
        self.init(host: host) { monitor.connectivity() }
    }

    /// Reports the statuses of `monitor`, with `other` as the interface, because `monitor` does not report interfaces.
    public init(_ monitor: any LinkMonitor) { watch = SharedWatch { monitor.statuses().map { Status($0) } } }

    init(host: String, source: @escaping SharedWatch.Source) {
        watch =
            Reachability.isLocal(host: host)
            ? SharedWatch(initial: .reachable(.loopback), source: nil) : SharedWatch(source: source)
    }

    deinit { stop() }

    /// The last reported status. It is `unknown` without a listener, reader or waiter, and for some milliseconds until
    /// the first report. It is never `unknown` for a destination on this machine.
    public var status: Status { watch.status }

    /// True if `status` is `reachable`; false if it is `notReachable` or `unknown`.
    public var isReachable: Bool { status.isReachable }

    /// Calls `onUpdate` with the current status, as soon as it is known, and then with each change.
    ///
    /// A second call of `start` replaces the first listener. The calls of `onUpdate` come one after the other, from any
    /// thread, and a slow listener receives only the newest status. Listening ends with `stop()`, or when the monitor
    /// is released, so `onUpdate` must not retain the monitor.
    public func start(onUpdate: @escaping @Sendable (Status) -> Void) {
        let statuses = statuses()
        let task = Task {
            for await status in statuses {
                guard !Task.isCancelled else { return }
                onUpdate(status)
            }
        }
        replaceListener(by: task)
    }

    /// Stops listening; safe at any time, also from `onUpdate`, of which one call can still be in progress. A later
    /// `start` begins again with the current status.
    public func stop() { replaceListener(by: nil) }

    private func replaceListener(by task: Task<Void, Never>?) {
        let earlier = listener.withLock { listener in
            defer { listener = task }
            return listener
        }
        earlier?.cancel()
    }

    /// Returns the sequence of the current status, as soon as it is known, and of each later change. It has only one
    /// reader; for another one, call this method again.
    ///
    /// The network is watched from this call on, until the sequence is released or its reading task is cancelled. The
    /// caller need not retain the monitor.
    public func statuses() -> Statuses { Statuses(stream: watch.read()) }
}

extension ConnectivityMonitor {
    /// Waits until the destination is reachable. Returns at once if `isReachable` is already true.
    ///
    /// - Parameter limit: The longest wait, measured by `clock`.
    /// - Returns: True if the destination is reachable. False if `limit` has passed, the task is cancelled, or the
    ///   underlying network monitor has ended its stream.
    public func waitUntilReachable<C: Clock>(upTo limit: Duration, clock: C = ContinuousClock()) async -> Bool
    where C.Duration == Duration {
        if isReachable { return true }
        let deadline = clock.now.advanced(by: limit)
        // Called here and not in the task below, so that the watch begins before the wait.
        let statuses = statuses()
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { await statuses.contains { $0.isReachable } }
            group.addTask {
                try? await clock.sleep(until: deadline, tolerance: nil)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
