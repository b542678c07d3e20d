/// Notices that the machine slept: the clock that stands still meanwhile falls behind the one that goes on.
///
/// Connections that were open may be gone by then on the other side, and nobody is told.
public struct SuspensionMonitor: Sendable {
    /// A difference that is smaller comes from reading two clocks one after the other on a busy machine.
    public static let shortest = Duration.seconds(5)
    private static let interval = Duration.seconds(2)

    private let asleep: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void

    /// Watches the clocks of this machine; it wakes up every two seconds.
    public init() {
        let (boot, awake) = (ContinuousClock.now, SuspendingClock.now)
        self.init(
            asleep: { boot.duration(to: .now) - awake.duration(to: .now) },
            pause: { try await Task.sleep(for: $0, clock: .suspending) })
    }

    /// - Parameters:
    ///   - asleep: For how long the machine slept, all in all.
    ///   - pause: Returns after so long, or throws when its task is cancelled.
    public init(
        asleep: @escaping @Sendable () -> Duration,
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.asleep = asleep
        self.pause = pause
    }

    /// The length of each sleep of the machine, told when it wakes up. Watching ends with the reader.
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
