package import FerryUploads

/// Carries out a workload on one thread, so that the same seed makes the same system calls in the same order. Snapshots
/// are written while changes are made: one group of changes lies between the start and the end of a snapshot.
package struct InlineRun {
    package enum Outcome: Sendable {
        case acknowledged(isDurable: Bool)
        case refused(JournalError)
    }

    private var store: JournalStore
    private var workload: Workload
    private var compaction: Compaction?

    /// - Parameter position: The number of changes of the workload that `store` already contains.
    package init(_ store: JournalStore, seed: UInt64, after position: Int) {
        self.store = store
        workload = Workload(seed: seed)
        for _ in 0..<position { _ = workload.next() }
    }

    /// Appends `count` changes, in groups of one to three that are written together.
    package mutating func go(_ count: Int, report: (Int, Outcome) -> Void) {
        var left = count
        while left > 0 {
            let steps = (0..<min(left, 1 + left % 3)).map { _ in workload.next() }
            left -= steps.count
            let isDurable = steps.contains(where: \.isDurable)
            let results = store.append(steps.map(\.changes), durably: isDurable)
            for (step, result) in zip(steps, results) {
                switch result {
                case .success: report(step.number, .acknowledged(isDurable: isDurable))
                case .failure(let error): report(step.number, .refused(error))
                }
            }
            finishCompaction()
            if store.isCompactionDue { compaction = try? store.rotate() }
        }
    }

    /// Writes a last snapshot, as a clean exit does.
    package mutating func close() {
        finishCompaction()
        try? store.compact()
    }

    private mutating func finishCompaction() {
        guard let running = compaction else { return }
        compaction = nil
        do throws(JournalError) {
            store.finish(try running.run())
        } catch {
            store.fail(error)
        }
    }
}
