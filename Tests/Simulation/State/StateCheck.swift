package import FerryUploads

/// Checks the files after a crash, with the code by which the next process reads them.
package enum StateCheck {
    /// The result of a successful check.
    package struct Finding: Sendable {
        /// The number of changes that the recovered queue contains.
        package var position: Int
        package var notices: [RecoveryNotice]
    }

    package enum Fault: Error, Hashable, Sendable {
        /// The recovered queue lacks acknowledged changes.
        case lost(found: Int, acknowledged: Int)
        /// No number of changes leads to the recovered queue.
        case wrong(String)
        /// The files cannot be read.
        case refused(String)
        case secondDiffers
        case leftover(String)
        /// The last snapshot cannot be used, although there was only a crash: it was renamed before it was complete.
        case snapshotDamaged(String)

        package var isLoss: Bool {
            switch self {
            case .lost, .refused: true
            case .wrong, .secondDiffers, .leftover, .snapshotDamaged: false
            }
        }
    }

    /// Recovers the queue twice, and compares it with the changes of `seed`.
    ///
    /// - Parameters:
    ///   - numbers: The range from the last acknowledged change to the last requested one.
    ///   - refused: The changes among them that must not have happened.
    ///   - damaged: True if the files have damage beyond a crash, so the previous snapshot may be needed.
    package static func check(
        _ files: any StateFiles, seed: UInt64, numbers: ClosedRange<Int>, without refused: Set<Int> = [],
        damaged: Bool = false
    ) throws(Fault) -> Finding {
        let states = WorkloadState.states(of: seed, through: numbers.upperBound, without: refused)
        return try check(files, states: states, acknowledged: numbers.lowerBound, damaged: damaged)
    }

    /// Recovers the queue twice, and compares it with `states`: the states after none, one and so on of the changes.
    package static func check(
        _ files: any StateFiles, states: [WorkloadState], acknowledged: Int, damaged: Bool = false
    ) throws(Fault) -> Finding {
        let first = try recovered(files)
        let second = try recovered(files)
        guard first.uploads == second.uploads, first.settings == second.settings else { throw .secondDiffers }
        if !damaged {
            for case .usedPreviousSnapshot(let reason, _) in first.notices { throw .snapshotDamaged(reason) }
        }
        for name in (try? files.names()) ?? [] where !isKnown(name) { throw .leftover(name) }
        let position = try position(of: WorkloadState(first), in: states, acknowledged: acknowledged)
        return Finding(position: position, notices: first.notices)
    }

    private static func recovered(_ files: any StateFiles) throws(Fault) -> Recovered {
        do throws(JournalError) {
            return try JournalStore.opened(files).recovered
        } catch {
            throw .refused(error.summary)
        }
    }

    /// Returns the number of changes that lead to `state`.
    package static func position(
        of state: WorkloadState, in states: [WorkloadState], acknowledged: Int
    ) throws(Fault) -> Int {
        guard let position = states.lastIndex(of: state) else {
            throw .wrong("\(state.uploads.count) uploads, next id \(state.settings.nextID)")
        }
        guard position >= acknowledged else { throw .lost(found: position, acknowledged: acknowledged) }
        return position
    }

    /// Returns true if a state folder may contain a file with this name while no process uses the folder.
    private static func isKnown(_ name: String) -> Bool {
        if ["queue.json", "queue.prev.json", "lock", "reserve"].contains(name) { return true }
        if name.hasPrefix("journal.") { return name.hasSuffix(".jsonl") || name.hasSuffix(".torn") }
        return name.hasPrefix("queue.") && name.hasSuffix(".damaged.json")
    }
}
