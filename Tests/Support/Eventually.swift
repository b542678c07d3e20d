/// Waits for effects of other processes that are not announced.
package enum Eventually {
    package struct Never: Error {
        package var what: String
    }

    /// Calls `condition` repeatedly until it holds.
    /// - Throws: `Never` after `limit` of real time.
    package static func holds(
        _ what: String, upTo limit: Duration = Gate.limit, _ condition: () async throws -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + limit
        while try await !condition() {
            guard .now < deadline else { throw Never(what: what) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
