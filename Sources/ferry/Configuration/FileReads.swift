import FerryFiles
import FerryProtocols

/// Reads files on threads of a pool. So a file that hangs, for example on a network share, delays no other file.
///
/// A call that hangs occupies its thread until it returns. Until then, the file is not read again: every caller
/// receives the same failure.
actor FileReads<Value: Sendable> {
    private let readers: BlockingIOPool
    /// The reads that have not returned, by path. After a timeout, the task's value is the failure.
    private var underWay: [String: Task<Result<Value, UploadFailure>, Never>] = [:]

    /// - Parameter readers: The pool, whose timeout limits the wait of each caller.
    init(_ readers: BlockingIOPool = .shared) { self.readers = readers }

    /// Returns the result of `read`. If the file is being read already, returns the result of that read.
    ///
    /// - Parameters:
    ///   - path: The file that `read` reads.
    ///   - late: The failure after a timeout.
    func value(
        of path: String, late: UploadFailure,
        _ read: @escaping @Sendable () throws(UploadFailure) -> Value
    ) async throws(UploadFailure) -> Value {
        let task = underWay[path] ?? begin(path, late, read)
        return try await task.value.get()
    }

    private func begin(
        _ path: String, _ late: UploadFailure,
        _ read: @escaping @Sendable () throws(UploadFailure) -> Value
    ) -> Task<Result<Value, UploadFailure>, Never> {
        let (results, result) = AsyncStream.makeStream(of: Result<Value, UploadFailure>.self)
        let work: @Sendable () throws(UploadFailure) -> Value = { () throws(UploadFailure) in
            defer { Task { await self.didReturn(path) } }
            return try read()
        }
        // A call that got no thread before the timeout still runs, so that it is reported as returned.
        readers.submit(
            on: nil, isWanted: { true }, work, silent: { _ in late },
            deliver: {
                result.yield($0)
                result.finish()
            })
        let task = Task { () -> Result<Value, UploadFailure> in
            for await first in results { return first }
            return .failure(late)
        }
        underWay[path] = task
        return task
    }

    private func didReturn(_ path: String) { underWay[path] = nil }
}
