import FerryProtocols
import Synchronization

/// How far the running uploads are. Written by the network's threads, read by whoever draws: never through the queue.
final class ProgressBoard: Sendable {
    private struct Entry {
        var sample: ProgressSample
        /// True once a request is under way that carries all of the file, and of which the server keeps nothing should
        /// it break.
        var carriesAll = false
        /// When the queue was last told how much is sent.
        var noted: ContinuousClock.Instant?
        /// When bytes went out last; nil before the first.
        var moved: ContinuousClock.Instant?
    }

    /// How much a kill may leave out of what is counted as sent again: what goes out in this time.
    private static let noteInterval = Duration.seconds(1)

    private let entries = Mutex<[Upload.ID: Entry]>([:])

    func begin(_ id: Upload.ID, confirmed: ByteCount) {
        let sample = ProgressSample(id: id, sent: confirmed, confirmed: confirmed, phase: .connecting)
        entries.withLock { $0[id] = Entry(sample: sample) }
    }

    func update(_ id: Upload.ID, _ change: (inout ProgressSample) -> Void) {
        entries.withLock { entries in
            guard var entry = entries[id] else { return }
            change(&entry.sample)
            entries[id] = entry
        }
    }

    /// A request that carries bytes of the file begins.
    func start(_ id: Upload.ID, carriesAll: Bool) {
        entries.withLock { $0[id]?.carriesAll = carriesAll }
    }

    /// Bytes went out.
    ///
    /// - Returns: True if the queue should note how much is sent: nothing else tells after a kill.
    func sent(_ id: Upload.ID, reached: ByteCount, at now: ContinuousClock.Instant) -> Bool {
        entries.withLock { entries in
            guard var entry = entries[id] else { return false }
            entry.sample.sent = reached
            entry.sample.phase = .sending
            entry.moved = now
            let isDue = entry.carriesAll && entry.noted.map { now - $0 >= Self.noteInterval } ?? true
            if isDue { entry.noted = now }
            entries[id] = entry
            return isDue
        }
    }

    /// Ends the samples of `id` and returns the last.
    @discardableResult
    func end(_ id: Upload.ID) -> ProgressSample? {
        entries.withLock { $0.removeValue(forKey: id)?.sample }
    }

    func sample(of id: Upload.ID) -> ProgressSample? { entries.withLock { $0[id]?.sample } }

    func carriesAll(_ id: Upload.ID) -> Bool { entries.withLock { $0[id]?.carriesAll ?? false } }

    /// When bytes of the upload went out last; nil if none did in this attempt.
    func moved(_ id: Upload.ID) -> ContinuousClock.Instant? { entries.withLock { $0[id]?.moved } }

    var all: [ProgressSample] { entries.withLock { $0.values.map(\.sample) } }
}
