import FerryConnectivity
package import FerryProtocols
import FerryTransfer

/// The executor, the random numbers, the files and the distances of the queue, and the form of its records. A simulation
/// replaces them by those of a seed.
package struct QueueEnvironment: Sendable {
    /// The executor of the queue's tasks; nil for Swift's default executor.
    package var executor: (any TaskExecutor)?
    /// Returns a random number from a range. Random delays keep many uploads from retrying at once.
    package var random: @Sendable (ClosedRange<Double>) -> Double
    /// Returns the current version of a file, with the failures of `SourceFile.open(_:queuedAs:)`. The second argument
    /// is the version that was queued.
    package var look: @Sendable (LocalPath, FileIdentity) async -> Result<FileIdentity, UploadFailure>

    /// Returns the time that a packet takes to a host, or to its proxy, and back; nil if it is unknown.
    package var roundTrip: @Sendable (UploadHost) async -> Duration?

    /// The lowest number of uploads whose change is written by ranges of their numbers, without the uploads. Earlier
    /// versions of Ferry cannot read such a journal.
    package var fewestInRanges: Int

    package init(
        executor: (any TaskExecutor)?, random: @escaping @Sendable (ClosedRange<Double>) -> Double,
        look: @escaping @Sendable (LocalPath, FileIdentity) async -> Result<FileIdentity, UploadFailure>,
        roundTrip: @escaping @Sendable (UploadHost) async -> Duration? = { _ in nil },
        fewestInRanges: Int = 1000
    ) {
        self.roundTrip = roundTrip
        self.fewestInRanges = fewestInRanges
        self.executor = executor
        self.random = random
        self.look = look
    }

    /// Starts a task of the queue.
    @discardableResult
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        // A task with a preference, even for nil, looks it up under a lock at each of its hops.
        executor.map { Task(executorPreference: $0, operation: body) } ?? Task(operation: body)
    }

    /// Returns the environment outside of simulations. `readers` open files, which can block on a slow volume.
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
            },
            roundTrip: { host in
                let (name, port) = host.connection
                return await DestinationProbe().roundTrip(host: name, port: port)
            })
    }
}
