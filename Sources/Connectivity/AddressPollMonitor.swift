/// Looks at the machine's interfaces and addresses at intervals, for where the system does not report changes.
///
/// Routes cannot be read this way and are assumed. If even the addresses cannot be read, the network is taken to be
/// up: an attempt to connect will tell.
struct AddressPollMonitor<C: Clock>: LinkMonitor where C.Duration == Duration {
    var clock: C
    var interval = Duration.seconds(2)
    var read: @Sendable () -> NetworkTable? = { NetworkTable.ofThisMachine() }

    func statuses() -> AsyncStream<LinkStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LinkStatus.self, bufferingPolicy: .bufferingNewest(1))
        feed(continuation, from: StatusTracker())
        return stream
    }

    /// Goes on with a stream that exists already, from what was last reported there, until its reader is gone.
    func feed<Tracker: NetworkTracker>(
        _ continuation: AsyncStream<Tracker.Report>.Continuation, from tracker: Tracker
    ) {
        let task = Task {
            var tracker = tracker
            repeat {
                if let status = tracker.update(read()), case .terminated = continuation.yield(status) {
                    return
                }
            } while (try? await clock.sleep(until: clock.now.advanced(by: interval), tolerance: nil)) != nil
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
    }
}
