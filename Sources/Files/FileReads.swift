/// Reads files on threads of a pool (`FileCalls`). Callers that need the same file at the same time share one read.
package actor FileReads<Value: Sendable, Failure: Error> {
    private let calls: FileCalls
    /// The reads whose callers still wait, by the name of what is read.
    private var underWay: [String: Task<Result<Value, Failure>, Never>] = [:]

    /// - Parameter readers: The pool, whose timeout limits the wait of each caller.
    package init(_ readers: BlockingIOPool = .shared) { calls = FileCalls(readers) }

    /// Returns the result of `read`. If the same is being read already, returns the result of that read.
    ///
    /// - Parameters:
    ///   - name: The name of what `read` reads, usually the path of a file.
    ///   - late: Makes the failure after a timeout. The argument is the timeout.
    package func value(
        of name: String, late: @escaping @Sendable (Duration) -> Failure,
        _ read: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if let task = underWay[name] { return try await task.value.get() }
        let task = Task { [calls] in await calls.outcome(on: name, late: late, read) }
        underWay[name] = task
        let result = await task.value
        underWay[name] = nil
        return try result.get()
    }
}
