/// The number of concurrent parts of one upload: the configured number, but one after a break. It grows by one whenever
/// twice as many parts have arrived as are in flight.
///
/// Parts share the link. If no connection lasts as long as all of them together need, none of them would ever arrive,
/// and each break would lose them all.
struct PartConcurrency: Hashable, Sendable {
    let most: Int
    private(set) var limit: Int
    /// The number of parts that arrived since the limit last changed.
    private var arrivals = 0

    init(most: Int) {
        self.most = max(1, most)
        limit = self.most
    }

    /// Begins after an earlier attempt that ended without all parts.
    mutating func beginAfterBreak() {
        limit = 1
        arrivals = 0
    }

    /// Records that a part has arrived.
    ///
    /// - Returns: The number of parts that may begin in its place.
    mutating func arrived() -> Int {
        guard limit < most else { return 1 }
        arrivals += 1
        guard arrivals == 2 * limit else { return 1 }
        arrivals = 0
        limit += 1
        return 2
    }
}
