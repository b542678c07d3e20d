/// Reads files on threads of a pool (`FileCalls`). Callers that need the same file at the same time share one read.
package actor FileReads<Value: Sendable, Failure: Error> {
    private let calls: FileCalls
    /// The reads whose callers still wait, by the name of what is read.
    private var underWay: [String: Task<Result<Value, Failure>, Never>] = [:]

    package init(_ readers: BlockingIOPool = .shared) { calls = FileCalls(readers) }

    /// Returns the result of `read`, or of a read of the same that is under way.
    ///
    /// - Parameter name: The name of what `read` reads, usually the path of a file.
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
