package import FerryUploads

/// Runs changes on a simulated disk until it stops, and says how far it got.
package struct CrashRun {
    /// The queue after each change, beginning with the empty one.
    private var states = [ExpectedQueue()]
    /// Index of the last state that was acknowledged, and of the last acknowledged as durable.
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
        // A snapshot is written while changes are made, so one change lies between its beginning and its end.
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

    /// True if what the next process finds is what was asked for, up to some point not before `least`, and the crash
    /// left no snapshot that cannot be used.
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
    /// Calls of the system that `changes` make.
    package static func calls(of changes: [[QueueChange]], mutant: Mutant? = nil) -> Int {
        let disk = SimulatedDisk()
        var run = CrashRun(mutant: mutant)
        run.go(changes, on: disk, compactingEvery: 3)
        return disk.calls.count
    }

    /// The process ends at the call with this number: true if nothing acknowledged is lost.
    package static func survivesKill(at number: Int, of changes: [[QueueChange]], mutant: Mutant? = nil)
        -> Bool
    {
        let (run, disk) = stopped(at: number, of: changes, mutant)
        return run.explains(disk.restarted(), atLeast: run.acknowledged)
    }

    /// The power goes at the call with this number: true if nothing durable is lost.
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
