import FerryFiles
package import FerryProtocols
import FerryTransfer

/// The engine's environment except for the clock. A simulation replaces all of it, so that a seed decides everything.
package struct QueueEnvironment: Sendable {
    /// The executor of the queue's tasks; nil for the threads of the system.
    package var executor: (any TaskExecutor)?
    /// Draws from a range, to spread delays.
    package var random: @Sendable (ClosedRange<Double>) -> Double
    /// Returns the current version of a file that was queued as the version given; fails like
    /// `SourceFile.open(_:queuedAs:)`.
    package var look: @Sendable (LocalPath, FileIdentity) async -> Result<FileIdentity, UploadFailure>

    package init(
        executor: (any TaskExecutor)?, random: @escaping @Sendable (ClosedRange<Double>) -> Double,
        look: @escaping @Sendable (LocalPath, FileIdentity) async -> Result<FileIdentity, UploadFailure>
    ) {
        self.executor = executor
        self.random = random
        self.look = look
    }

    /// Returns the system's environment.
    ///
    /// - Parameter readers: The threads that wait for the volumes of the files.
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
