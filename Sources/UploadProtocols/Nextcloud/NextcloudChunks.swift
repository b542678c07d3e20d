/// The chunks that the server has stored, and those in flight.
struct NextcloudChunks: Hashable, Sendable {
    let plan: NextcloudPlan
    private(set) var held: Set<Int>
    private(set) var underWay: Set<Int> = []
    private var next = 1

    init(plan: NextcloudPlan, held: Set<Int>) {
        self.plan = plan
        self.held = held
    }

    var isComplete: Bool { held.count == plan.count }

    /// The bytes of the stored chunks.
    var bytes: ByteCount {
        held.reduce(0) { sum, number in
            let range = plan.range(number)
            return sum + range.upperBound - range.lowerBound
        }
    }

    /// Returns the next chunks, at most `count`, that are neither stored nor in flight, and marks them as in flight.
    mutating func takeNext(_ count: Int) -> [Int] {
        var taken: [Int] = []
        while taken.count < count {
            while next <= plan.count, held.contains(next) || underWay.contains(next) { next += 1 }
            guard next <= plan.count else { break }
            underWay.insert(next)
            taken.append(next)
        }
        return taken
    }

    mutating func arrived(_ number: Int) {
        underWay.remove(number)
        if (1...max(1, plan.count)).contains(number) { held.insert(number) }
    }
}
