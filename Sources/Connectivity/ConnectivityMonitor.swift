import Synchronization

/// Tells whether this machine has a network by which a destination may be reached, and what kind of network.
///
/// A hint, never a gate: a network that is there says nothing about the destination, and a machine that seems to be
/// offline may have a way that nobody knows of. Do not ask it before a first try; ask it when to try again.
///
/// Any number of readers, listeners and waiters share one watcher, which begins with the first and ends with the
/// last; on Linux that is a thread and three descriptors. Nothing is held back while a link flaps.
public final class ConnectivityMonitor: Sendable {
    private let watch: SharedWatch
    private let listener = Mutex<Task<Void, Never>?>(nil)

    /// Watches the network of this machine; on Linux that of the thread whose call begins the watching.
    ///
    /// - Parameter onDiagnostic: Receives a sentence when watching works less well than it should. Called from any
    ///   thread.
    public init(onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }) {
        let monitor = SystemLinkMonitor(onDiagnostic: onDiagnostic)
        watch = SharedWatch { monitor.connectivity() }
    }

    /// Watches the way to a destination. One on this machine, a loopback name or address or a Unix socket, is
    /// reachable at once and for good; any other follows the network of this machine.
    ///
    /// - Parameters:
    ///   - host: As in a URL, with or without brackets; or the path of a Unix socket, which may be percent-encoded.
    ///   - onDiagnostic: As for a monitor of this machine.
    public convenience init(host: String, onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }) {
        let monitor = SystemLinkMonitor(onDiagnostic: onDiagnostic)
        self.init(host: host) { monitor.connectivity() }
    }

    /// Tells what `monitor` tells. It knows nothing of interfaces, so all are `other`.
    public init(_ monitor: any LinkMonitor) {
        watch = SharedWatch { monitor.statuses().map { Status($0) } }
    }

    init(host: String, source: @escaping SharedWatch.Source) {
        watch =
            Reachability.isLocal(host: host)
            ? SharedWatch(initial: .reachable(.loopback), source: nil) : SharedWatch(source: source)
    }

    deinit {
        stop()
    }

    /// The last reported status. It is `unknown` while nobody listens, reads or waits, and until the first report,
    /// which takes some milliseconds. It is never `unknown` for a destination on this machine.
    public var status: Status { watch.status }

    /// Whether `status` is reachable; false while it is unknown.
    public var isReachable: Bool { status.isReachable }

    /// Calls `onUpdate` with the present status, as soon as it is known, and then with each change.
    ///
    /// There is one listener: a second start takes the place of the first, and is told the present status too. The
    /// calls come one after the other, from no particular thread; a listener that is slow misses what was over
    /// before it looked. Listening ends with `stop()`, or when the monitor is released, so `onUpdate` must not keep
    /// the monitor alive.
    public func start(onUpdate: @escaping @Sendable (Status) -> Void) {
        let statuses = statuses()
        let task = Task {
            for await status in statuses {
                guard !Task.isCancelled else { return }
                onUpdate(status)
            }
        }
        let earlier = listener.withLock { listener in
            defer { listener = task }
            return listener
        }
        earlier?.cancel()
    }

    /// Ends listening; one call that is on its way may still arrive. Safe to call at any time, also from `onUpdate`;
    /// a later `start` begins anew with the present status.
    public func stop() {
        let task = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        task?.cancel()
    }

    /// The present status, as soon as it is known, and then each change.
    ///
    /// Watching begins with this call and ends when the sequence is released or its reader is cancelled; the
    /// monitor itself need not be kept. One reader a sequence: call again for another.
    public func statuses() -> Statuses { Statuses(stream: watch.read()) }
}
