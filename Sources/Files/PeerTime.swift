import Synchronization

/// The time that a thread spends waiting for the other end of a socket, and its limit, which grows by a second for each
/// MiB. So no program can keep the thread for ever with a byte now and then.
package final class PeerTime: Sendable {
    private struct State {
        var waited = Duration.zero
        var bytes = 0
    }

    private let limit: Duration
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    package convenience init(seconds: Int) {
        // The time while the machine sleeps does not count.
        let start = SuspendingClock.now
        self.init(seconds: seconds) { start.duration(to: SuspendingClock.now) }
    }

    init(seconds: Int, now: @escaping @Sendable () -> Duration) {
        limit = .seconds(seconds)
        self.now = now
    }

    /// The rest of the time in seconds, at least 1; nil if the time is over.
    var secondsLeft: Int? {
        let left = state.withLock { limit + .seconds($0.bytes >> 20) - $0.waited }
        return left > .zero ? Int((left / .seconds(1)).rounded(.up)) : nil
    }

    /// Runs a call that waits for the other end, and counts its time and the bytes that it returns.
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
