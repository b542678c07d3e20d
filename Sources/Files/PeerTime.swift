import Synchronization

/// The time that a thread spends waiting for the other end of a socket, and its limit. The limit grows by a second for
/// each MiB that is transferred. Without this limit, a program that sends or reads a byte now and then could keep the
/// thread for ever.
package final class PeerTime: Sendable {
    private struct State {
        var waited = Duration.zero
        var bytes = 0
    }

    private let limit: Duration
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter seconds: The limit without transferred bytes, in seconds.
    package convenience init(seconds: Int) {
        // The time while the machine sleeps does not count.
        let start = SuspendingClock.now
        self.init(seconds: seconds) { start.duration(to: SuspendingClock.now) }
    }

    /// - Parameter now: Returns the time since a fixed moment.
    init(seconds: Int, now: @escaping @Sendable () -> Duration) {
        limit = .seconds(seconds)
        self.now = now
    }

    /// The rest of the time in seconds, at least 1; nil if the time is over.
    var secondsLeft: Int? {
        let left = state.withLock { limit + .seconds($0.bytes >> 20) - $0.waited }
        return left > .zero ? Int((left / .seconds(1)).rounded(.up)) : nil
    }

    /// Runs a call that waits for the other end, and counts its time.
    ///
    /// - Parameter call: Returns the number of transferred bytes, or a negative number after an error.
    func count(_ call: () -> Int) -> Int {
        let start = now()
        let bytes = call()
        let end = now()
        state.withLock { state in
            state.waited += end - start
            state.bytes += max(0, bytes)
        }
        return bytes
    }
}
