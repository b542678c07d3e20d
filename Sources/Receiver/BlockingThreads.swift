import FerryFiles
import NIOPosix

/// The threads for blocking calls, which must not run on NIO's event loops.
enum BlockingThreads {
    case common
    /// One thread for digests of stored bytes, so that they do not delay other uploads.
    case digests

    private static let one: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        return pool
    }()

    fileprivate var pool: NIOThreadPool {
        switch self {
        case .common: .singleton
        case .digests: Self.one
        }
    }
}

/// Runs blocking `work` outside the event loop, even if the task is cancelled: received bytes must be stored.
func offLoop<Result: Sendable>(
    on threads: BlockingThreads = .common, _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        threads.pool.submit { _ in continuation.resume(with: Swift.Result { try work() }) }
    }
}
