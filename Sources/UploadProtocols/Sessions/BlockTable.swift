/// The blocks of a file at the server, in flight, and still to send.
struct BlockTable: Sendable {
    let plan: BlockPlan
    private(set) var held: Set<Int>
    /// Bytes of the blocks that are held.
    private(set) var confirmed: ByteCount
    private var unsent = 0

    init(_ plan: BlockPlan, held: Set<Int>) {
        self.plan = plan
        self.held = held
        confirmed = plan.bytes(held)
    }

    var isComplete: Bool { held.count == plan.count }

    /// The next blocks to send, at most `count`; they are then taken to be on the way.
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
