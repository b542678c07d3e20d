import FerryFiles
package import FerryProtocols
import FerryTransfer

/// The executor, the random numbers and the view of the file system that the queue uses. A simulation replaces them, so
/// that the seed of its random numbers determines each run.
package struct QueueEnvironment: Sendable {
    /// The executor of the queue's tasks; nil for Swift's default executor.
    package var executor: (any TaskExecutor)?
    /// Returns a random number from a range. Random delays keep many uploads from retrying at the same moment.
    package var random: @Sendable (ClosedRange<Double>) -> Double
    /// Returns the current version of the file at a path. The second argument is the version that was queued. The
    /// failures are those of `SourceFile.open(_:queuedAs:)`.
    package var look: @Sendable (LocalPath, FileIdentity) async -> Result<FileIdentity, UploadFailure>

    package init(
        executor: (any TaskExecutor)?, random: @escaping @Sendable (ClosedRange<Double>) -> Double,
        look: @escaping @Sendable (LocalPath, FileIdentity) async -> Result<FileIdentity, UploadFailure>
    ) {
        self.executor = executor
        self.random = random
        self.look = look
    }

    /// Returns the environment outside of simulations: Swift's default executor, the system's random numbers and files.
    ///
    /// - Parameter readers: The threads that open files. Opening a file can block on a slow volume.
    package static func system(_ readers: BlockingIOPool = .shared) -> QueueEnvironment {
        QueueEnvironment(
            executor: nil, random: { .random(in: $0) },
            look: { path, queued in
                do throws(UploadFailure) {
                    return .success(
                        try await SourceFile.open(path, queuedAs: queued, readers: readers).identity)
                } catch {
                    return .failure(error)
                }
            })
    }
}
