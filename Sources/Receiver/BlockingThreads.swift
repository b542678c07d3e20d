import FerryFiles
import NIOPosix

/// The threads on which blocking calls run, because the threads of NIO's event loops must not block.
enum BlockingThreads {
    /// NIO's shared thread pool, for short calls.
    case common
    /// One thread for digests of stored bytes, so that a client that requests many digests does not delay other
    /// uploads.
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

/// Runs `work`, which can block, on a thread outside the event loop. The work runs even if the task is cancelled,
/// because received bytes must be stored.
func offLoop<Result: Sendable>(
    on threads: BlockingThreads = .common, _ work: @escaping @Sendable () throws(SystemCallError) -> Result
) async throws(SystemCallError) -> Result {
    let result: Swift.Result<Result, SystemCallError> = await withCheckedContinuation { continuation in
        threads.pool.submit { _ in
            continuation.resume(returning: Swift.Result { () throws(SystemCallError) in try work() })
        }
    }
    return try result.get()
}
