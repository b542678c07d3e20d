extension Result {
    /// Returns the outcome of asynchronous work, for callers that must clean up before they throw its error.
    static func awaiting(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws(Failure) -> Success
    ) async -> Self {
        do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
    }
}
