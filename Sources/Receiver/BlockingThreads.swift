import FerryFiles
import NIOPosix

/// Threads that may block.
enum BlockingThreads {
    /// The threads for everything that is short.
    case common
    /// One thread for digests of whole files: a client that asks for many of them delays no upload of another.
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

/// Runs blocking work on a thread that may block. Cancellation never skips it: received bytes must be stored.
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
