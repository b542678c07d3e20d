/// The division of a file into numbered parts.
protocol PartPlan: Sendable {
    var numbers: Range<Int> { get }
    /// Returns the range of the file's bytes in the part with this number.
    func range(of number: Int) -> Range<ByteCount>
}

/// The record of which parts of a file are stored, in flight or still to send.
struct PartTable<Plan: PartPlan>: Sendable {
    let plan: Plan
    private(set) var held: Set<Int>
    /// The number of bytes in the stored parts.
    private(set) var confirmed: ByteCount
    /// The number of the first part that `next` has not reached.
    private var unsent: Int

    init(_ plan: Plan, held: Set<Int>) {
        self.plan = plan
        self.held = held
        confirmed = held.reduce(0) { $0 + ByteCount(plan.range(of: $1).count) }
        unsent = plan.numbers.lowerBound
    }

    var isComplete: Bool { held.count == plan.numbers.count }

    /// The counts of stored parts and of all parts, for the upload resource.
    var progress: UploadResource.Parts { .init(held: held.count, planned: plan.numbers.count) }

    /// Returns the numbers of the next parts to send, at most `count`. Each part is returned only once.
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
