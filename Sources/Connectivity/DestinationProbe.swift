import FerryFiles
import Synchronization

/// A test whether a destination accepts a TCP connection. The probe sends no data.
///
/// Behind a captive portal, which accepts every connection, every destination looks reachable. Only the response to an
/// HTTP request reveals the portal.
public struct DestinationProbe: Sendable {
    /// The time limit for the name lookup and the connection together.
    public var timeout: Duration

    public init(timeout: Duration = .seconds(3)) {
        self.timeout = timeout
    }

    /// Looks up the name and connects to its first 8 addresses, all at the same time. If one connection succeeds, the
    /// destination is reachable.
    ///
    /// Blocking calls run on a separate thread. The check never takes longer than `timeout`, even if the name lookup
    /// does. While 16 earlier checks still occupy their threads, the result is `timedOut` at once.
    /// - Parameter host: A name or an address, with or without brackets.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func check(host: String, port: UInt16) async throws -> Reachability {
        if host.isEmpty || host.utf8.contains(0) { return .nameNotFound }
        try Task.checkCancellation()
        guard let permit = LookupPermit() else { return .timedOut }
        let result = FirstResult()
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let timer = Task {
            if (try? await Task.sleep(until: deadline, clock: .continuous)) != nil {
                result.give(.success(.timedOut))
            }
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                result.await(continuation)
                DetachedThread.start {
                    result.give(.success(ConnectionAttempt.run(host: host, port: port, until: deadline)))
                    permit.giveBack()
                }
            }
        } onCancel: {
            result.give(.failure(CancellationError()))
        }
    }
}

/// A permit for one name lookup and the connections after it. A lookup cannot be cancelled, and blocks its thread while
/// the resolver hangs. The number of permits limits the number of such threads.
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

    func giveBack() {
        Self.taken.withLock { $0 -= 1 }
    }
}

/// Resumes the waiting task with the first result (connection, timeout or cancellation), and ignores later results.
private final class FirstResult: Sendable {
    private typealias Outcome = Result<Reachability, any Error>

    private enum State {
        case open
        case awaited(CheckedContinuation<Reachability, any Error>)
        case early(Result<Reachability, any Error>)
        case given
    }

    private let state = Mutex(State.open)

    func await(_ continuation: CheckedContinuation<Reachability, any Error>) {
        let early: Outcome? = state.withLock { state in
            guard case .early(let result) = state else {
                state = .awaited(continuation)
                return nil
            }
            state = .given
            return result
        }
        if let early { continuation.resume(with: early) }
    }

    func give(_ result: Result<Reachability, any Error>) {
        let continuation: CheckedContinuation<Reachability, any Error>? = state.withLock { state in
            switch state {
            case .open:
                state = .early(result)
                return nil
            case .awaited(let continuation):
                state = .given
                return continuation
            case .early, .given:
                return nil
            }
        }
        continuation?.resume(with: result)
    }
}
