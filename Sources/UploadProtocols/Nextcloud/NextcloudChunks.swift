/// The chunks that the server holds, and those in flight.
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

    /// Bytes of the chunks that the server holds.
    var bytes: ByteCount {
        held.reduce(0) { sum, number in
            let range = plan.range(number)
            return sum + range.upperBound - range.lowerBound
        }
    }

    /// The next chunks, so many at most, that are neither held nor under way; from now on they are under way.
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
