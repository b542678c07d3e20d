/// The maximum number of parts of one upload in flight at the same time. It is the configured number, or 1 for an
/// upload that resumes after an interruption. Whenever `2 * limit` more parts are stored, it grows by one. Parallel
/// parts share the bandwidth, so on a bad connection possibly none is complete before the next break.
struct PartConcurrency: Hashable, Sendable {
    let most: Int
    private(set) var limit: Int
    /// The number of parts that were stored on the server since the limit last changed.
    private var arrivals = 0

    init(most: Int) {
        self.most = max(1, most)
        limit = self.most
    }

    mutating func beginAfterBreak() {
        limit = 1
        arrivals = 0
    }

    /// Records that a part is now stored. Returns how many to send instead: two if the limit has grown, otherwise one.
    mutating func arrived() -> Int {
        guard limit < most else { return 1 }
        arrivals += 1
        guard arrivals == 2 * limit else { return 1 }
        arrivals = 0
        limit += 1
        return 2
    }
}
