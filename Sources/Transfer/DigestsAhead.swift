import FerryProtocols
import Synchronization

/// The digests that later requests of an attempt probably need. They are computed while the current requests are sent,
/// and the bytes are then usually still in the page cache when they are sent.
final class DigestsAhead: Sendable {
    typealias Digests = Result<[ComputedDigest]?, UploadFailure>

    private struct Computation {
        let requests: [DigestRequest]
        let task: Task<Digests, Never>
    }

    /// The newest computation for each part of an upload (`Exchange.part`).
    private let computations = Mutex<[Int: Computation]>([:])

    /// Begins to compute the digests for the next request of a part, if it needs any.
    func begin(_ requests: [DigestRequest], part: Int, of file: SourceFile) {
        guard !requests.isEmpty else { return }
        let task = Task<Digests, Never> {
            do throws(UploadFailure) {
                return .success(try await FileDigest.compute(requests, of: file))
            } catch {
                return .failure(error)
            }
        }
        computations.withLock { $0[part] = Computation(requests: requests, task: task) }
    }

    /// Returns the digests for the next request of a part; nil if others were begun, or none.
    func take(_ requests: [DigestRequest], part: Int) async -> Digests? {
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
