/// The blocks of a file that are stored, in flight, and still to send.
struct BlockTable: Sendable {
    let plan: BlockPlan
    private(set) var held: Set<Int>
    /// The bytes of the stored blocks.
    private(set) var confirmed: ByteCount
    private var unsent = 0

    init(_ plan: BlockPlan, held: Set<Int>) {
        self.plan = plan
        self.held = held
        confirmed = plan.bytes(held)
    }

    var isComplete: Bool { held.count == plan.count }

    /// Returns the next blocks to send, at most `count`, which then count as in flight.
    mutating func next(_ count: Int) -> [Int] {
        var taken: [Int] = []
        while taken.count < count, unsent < plan.count {
            if !held.contains(unsent) { taken.append(unsent) }
            unsent += 1
        }
        return taken
    }

    mutating func hold(_ index: Int) {
        guard held.insert(index).inserted else { return }
        let range = plan.range(of: index)
        confirmed += range.upperBound - range.lowerBound
    }
}
