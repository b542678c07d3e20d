package import FerryUploads

/// Appends changes on a simulated disk until it stops, and records how many were acknowledged.
package struct CrashRun {
    /// The expected queue before the first change and after each change.
    private var states = [ExpectedQueue()]
    /// The indexes in `states` of the last acknowledged change, and of the last one acknowledged as durable.
    package private(set) var acknowledged = 0
    package private(set) var durable = 0
    private let mutant: Mutant?

    package init(from found: ExpectedQueue = ExpectedQueue(), mutant: Mutant? = nil) {
        states = [found]
        self.mutant = mutant
    }

    package mutating func go(
        _ changes: [[QueueChange]], on disk: SimulatedDisk, compactingEvery interval: Int
    ) {
        guard var store = try? JournalStore.opened(files(disk)).store else { return }
        // A snapshot is written while changes are made: one change lies between its start and its end.
        var compaction: Compaction?
        for (index, change) in changes.enumerated() {
            let isDurable = index % 3 != 2
            states.append(states[states.count - 1].applying(change))
            guard (try? store.append(change, durably: isDurable)) != nil else { return }
            acknowledged = states.count - 1
            if isDurable { durable = acknowledged }
            if let running = compaction, let written = try? running.run() { store.finish(written) }
            compaction = index % interval == interval - 1 ? try? store.rotate() : nil
        }
    }

    /// Returns true if recovery finds one of the states from `least` on, twice the same, and does not need the previous
    /// snapshot.
    package func explains(_ disk: SimulatedDisk, atLeast least: Int) -> Bool {
        guard let found = try? JournalStore.opened(files(disk)).recovered else { return false }
        let again = try? JournalStore.opened(files(disk)).recovered
        let usedPrevious = found.notices.contains {
            if case .usedPreviousSnapshot = $0 { true } else { false }
        }
        return again?.uploads == found.uploads && !usedPrevious
            && states[least...].contains(ExpectedQueue(found.uploads))
    }

    private func files(_ disk: SimulatedDisk) -> any StateFiles {
        if let mutant { MutantFiles(disk, mutant) } else { disk }
    }
}

extension CrashRun {
    /// Returns the number of calls that the changes make on the disk.
    package static func calls(of changes: [[QueueChange]], mutant: Mutant? = nil) -> Int {
        let disk = SimulatedDisk()
        var run = CrashRun(mutant: mutant)
        run.go(changes, on: disk, compactingEvery: 3)
        return disk.calls.count
    }

    /// Ends the process at a call, and returns true if no acknowledged change is lost.
    package static func survivesKill(at number: Int, of changes: [[QueueChange]], mutant: Mutant? = nil)
        -> Bool
    {
        let (run, disk) = stopped(at: number, of: changes, mutant)
        return run.explains(disk.restarted(), atLeast: run.acknowledged)
    }

    /// Cuts the power at a call, and returns true if no durable change is lost.
    package static func survivesPowerCut(
        at number: Int, of changes: [[QueueChange]], keeping remains: SimulatedDisk.Remains,
        names: SimulatedDisk.NameRemains, mutant: Mutant? = nil
    ) -> Bool {
        let (run, disk) = stopped(at: number, of: changes, mutant)
        return run.explains(disk.powerCut(keeping: remains, names: names), atLeast: run.durable)
    }

    private static func stopped(
        at number: Int, of changes: [[QueueChange]], _ mutant: Mutant?
    ) -> (run: CrashRun, disk: SimulatedDisk) {
        let disk = SimulatedDisk()
        disk.fail { $0.number == number ? .kill : nil }
        var run = CrashRun(mutant: mutant)
        run.go(changes, on: disk, compactingEvery: 3)
        return (run, disk)
    }
}
