/// The maximum number of parts of one upload that are in flight. An upload starts with the configured number. An upload
/// that resumes after a break starts with one. The limit grows by one whenever `2 * limit` parts have arrived.
///
/// Parallel parts share the bandwidth, so each part takes longer. On a link that breaks often, no part might ever
/// become complete before the next break.
struct PartConcurrency: Hashable, Sendable {
    let most: Int
    private(set) var limit: Int
    /// The number of parts that arrived since the limit last changed.
    private var arrivals = 0

    init(most: Int) {
        self.most = max(1, most)
        limit = self.most
    }

    /// Sets the limit to one, because an earlier attempt ended before all parts had arrived.
    mutating func beginAfterBreak() {
        limit = 1
        arrivals = 0
    }

    /// Records that a part has arrived.
    ///
    /// - Returns: The number of parts to start in place of the arrived one: two if the limit has grown, otherwise one.
    mutating func arrived() -> Int {
        guard limit < most else { return 1 }
        arrivals += 1
        guard arrivals == 2 * limit else { return 1 }
        arrivals = 0
        limit += 1
        return 2
    }
}
