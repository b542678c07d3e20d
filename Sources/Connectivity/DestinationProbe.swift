import FerryFiles
import Synchronization

/// A test whether a destination accepts a TCP connection, as every destination behind a captive portal does.
public struct DestinationProbe: Sendable {
    /// The time limit for the name lookup and the connection together.
    public var timeout: Duration

    public init(timeout: Duration = .seconds(3)) { self.timeout = timeout }

    /// Looks up the name and connects to its first 8 addresses, all at the same time. The check never takes longer than
    /// `timeout`, even if the name lookup does. While 16 earlier checks still occupy their threads, the result is
    /// `timedOut` at once.
    ///
    /// - Parameter host: A name or an address, with or without brackets.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func check(host: String, port: UInt16) async throws -> Reachability {
        try await attempt(host: host, port: port).reachability
    }

    /// Connects as `check` does, and returns the time that a packet takes to the host and back. Returns nil without a
    /// connection, and on systems other than Linux.
    package func roundTrip(host: String, port: UInt16) async -> Duration? {
        try? await attempt(host: host, port: port).roundTrip
    }

    private func attempt(host: String, port: UInt16) async throws -> ConnectionAttempt.Outcome {
        if host.isEmpty || host.utf8.contains(0) { return .init(reachability: .nameNotFound) }
        try Task.checkCancellation()
        guard let permit = LookupPermit() else { return .init(reachability: .timedOut) }
        let (results, continuation) = AsyncStream.makeStream(
            of: ConnectionAttempt.Outcome.self, bufferingPolicy: .bufferingOldest(1))
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let timer = Task {
            if (try? await Task.sleep(until: deadline, clock: .continuous)) != nil {
                continuation.yield(.init(reachability: .timedOut))
            }
        }
        defer { timer.cancel() }
        DetachedThread.start {
            continuation.yield(ConnectionAttempt.run(host: host, port: port, until: deadline))
            permit.giveBack()
        }
        var iterator = results.makeAsyncIterator()
        guard let result = await iterator.next() else { throw CancellationError() }
        return result
    }
}

/// A permit for one lookup and its connections, which limits the number of threads that a hanging resolver blocks.
private struct LookupPermit {
    private static let taken = Mutex(0)
    private static let maximum = 16

    init?() {
        let isGranted = Self.taken.withLock { taken in
            guard taken < Self.maximum else { return false }
            taken += 1
            return true
        }
        guard isGranted else { return nil }
    }

    func giveBack() { Self.taken.withLock { $0 -= 1 } }
}
