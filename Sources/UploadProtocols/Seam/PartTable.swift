protocol PartPlan: Sendable {
    var numbers: Range<Int> { get }
    func range(of number: Int) -> Range<ByteCount>
}

/// The parts of a file: which are stored on the server, and which are left to send.
struct PartTable<Plan: PartPlan>: Sendable {
    let plan: Plan
    private(set) var held: Set<Int>
    private(set) var confirmed: ByteCount
    /// The lowest part number that `next` has not returned or skipped yet.
    private var unsent: Int

    init(_ plan: Plan, held: Set<Int>) {
        self.plan = plan
        self.held = held
        confirmed = held.reduce(0) { $0 + ByteCount(plan.range(of: $1).count) }
        unsent = plan.numbers.lowerBound
    }

    var isComplete: Bool { held.count == plan.numbers.count }

    var progress: UploadResource.Parts { .init(stored: held.count, planned: plan.numbers.count) }

    /// Returns the next `count` parts to send, or fewer, without those that are stored or were returned before.
    mutating func next(_ count: Int) -> [Int] {
        var taken: [Int] = []
        while taken.count < count, unsent < plan.numbers.upperBound {
            if !held.contains(unsent) { taken.append(unsent) }
            unsent += 1
        }
        return taken
    }

    mutating func hold(_ number: Int) {
        guard plan.numbers.contains(number), held.insert(number).inserted else { return }
        confirmed += ByteCount(plan.range(of: number).count)
    }
}
