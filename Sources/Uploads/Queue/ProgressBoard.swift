import FerryProtocols
import Synchronization

/// How far the running uploads are. Written by the network's threads, read by whoever draws: never through the queue.
final class ProgressBoard: Sendable {
    private let samples = Mutex<[Upload.ID: ProgressSample]>([:])

    func begin(_ id: Upload.ID, confirmed: ByteCount) {
        samples.withLock {
            $0[id] = ProgressSample(id: id, sent: confirmed, confirmed: confirmed, phase: .connecting)
        }
    }

    func update(_ id: Upload.ID, _ change: (inout ProgressSample) -> Void) {
        samples.withLock { samples in
            guard var sample = samples[id] else { return }
            change(&sample)
            samples[id] = sample
        }
    }

    /// Ends the samples of `id` and returns the last.
    @discardableResult
    func end(_ id: Upload.ID) -> ProgressSample? { samples.withLock { $0.removeValue(forKey: id) } }

    var all: [ProgressSample] { samples.withLock { Array($0.values) } }
}
