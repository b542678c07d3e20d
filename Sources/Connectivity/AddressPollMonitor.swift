/// A monitor that reads the machine's interfaces and addresses at intervals, for systems that do not report changes.
/// Routes cannot be read in this way and are assumed to exist, and so is the network if the addresses cannot be read.
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

    /// Yields the reports of `tracker` to `continuation` at intervals, until the stream has no reader.
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
