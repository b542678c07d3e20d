/// Detects suspensions of the machine, after which connections can be dead without a report by the kernel.
public struct SuspensionMonitor: Sendable {
    /// The shortest suspension to report. A busy machine reads the clocks at slightly different times.
    public static let shortest = Duration.seconds(5)
    private static let interval = Duration.seconds(2)

    private let asleep: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void

    /// Watches the clocks of this machine. The check runs every two seconds.
    public init() {
        let (boot, awake) = (ContinuousClock.now, SuspendingClock.now)
        self.init(
            asleep: { boot.duration(to: .now) - awake.duration(to: .now) },
            pause: { try await Task.sleep(for: $0, clock: .suspending) })
    }

    /// - Parameters:
    ///   - asleep: Returns the total time for which the machine has been suspended since a fixed time.
    ///   - pause: Waits for the given time, or throws when its task is cancelled.
    public init(
        asleep: @escaping @Sendable () -> Duration, pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.asleep = asleep
        self.pause = pause
    }

    /// Returns a stream of the lengths of suspensions, until it is released or its reader is cancelled.
    public func suspensions() -> AsyncStream<Duration> {
        let (stream, continuation) = AsyncStream.makeStream(of: Duration.self)
        let task = Task { [self] in
            var known = asleep()
            while (try? await pause(Self.interval)) != nil {
                let total = asleep()
                if total - known >= Self.shortest { continuation.yield(total - known) }
                known = total
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
