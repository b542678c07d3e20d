import FerryProtocols
import Synchronization

/// Computes digests for the next requests of an attempt while the current ones are sent. The file is then usually read
/// from the disk only once: when the next bytes are sent, the page cache still has them.
final class DigestsAhead: Sendable {
    private struct Computation {
        let requests: [DigestRequest]
        /// The value is nil if the file could not be read, or after a cancellation.
        let task: Task<[ComputedDigest]?, Never>
    }

    /// The newest computation for each part of an upload (`Exchange.part`).
    private let computations = Mutex<[Int: Computation]>([:])

    /// Begins to compute the digests for the next request of a part, if it needs any.
    func begin(_ requests: [DigestRequest], part: Int, of file: SourceFile) {
        guard !requests.isEmpty else { return }
        let task = Task { (try? await FileDigest.compute(requests, of: file)) ?? nil }
        computations.withLock { $0[part] = Computation(requests: requests, task: task) }
    }

    /// Returns the digests for the next request of a part; nil if they must be computed now.
    func take(_ requests: [DigestRequest], part: Int) async -> [ComputedDigest]? {
        guard let begun = computations.withLock({ $0.removeValue(forKey: part) }) else { return nil }
        guard begun.requests == requests else {
            begun.task.cancel()
            return nil
        }
        return await withTaskCancellationHandler {
            await begun.task.value
        } onCancel: {
            begun.task.cancel()
        }
    }

    func cancel() {
        let begun = computations.withLock { computations in
            defer { computations = [:] }
            return computations.values.map(\.task)
        }
        for task in begun { task.cancel() }
    }
}
