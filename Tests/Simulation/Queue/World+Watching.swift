import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import FerryUploads

/// Reports from the parts of a simulation to the watch. Reports from an ended life are ignored.
extension World {
    func willWrite(_ changes: [QueueChange], durably: Bool, life: Int) -> Int {
        with { state in
            state.log.add("write", changes.count, durably ? 1 : 0) {
                changes.map(\.text).joined(separator: ", ")
            }
            return state.watch.willWrite(changes, server: state.server)
        }
    }

    func wrote(_ entry: Int, _ changes: [QueueChange], acknowledged: Bool, durably: Bool) {
        with { state in
            state.log.add("written", entry, acknowledged ? 1 : 0)
            state.watch.wrote(entry, changes, acknowledged: acknowledged, durably: durably)
        }
    }

    func recovered(_ recovered: Recovered, life: Int) {
        with { state in
            state.log.add("recovered", recovered.uploads.count, life) {
                recovered.uploads.map { "\($0.id) \($0.state.kind) \($0.confirmed)" }.joined(separator: ", ")
            }
            state.watch.recovered(recovered)
        }
    }

    /// Checks that a snapshot does not change what is recovered.
    func checkSnapshot(of disk: SimulatedDisk) {
        guard let found = try? JournalStore.opened(disk).recovered else {
            return violated("I5", "the queue cannot be read after a snapshot")
        }
        let isExplained = with { $0.watch.ledger.explains(Ledger.Content(found), after: .kill) }
        if !isExplained { violated("I5", "a snapshot has changed the queue") }
    }

    /// Checks that two recoveries in a row find the same content.
    func checkRecovery(of disk: SimulatedDisk, _ remains: SimulatedDisk.Remains) {
        let first = try? JournalStore.opened(disk.restarted()).recovered
        let second = try? JournalStore.opened(disk.powerCut(keeping: remains)).recovered
        let content = with { $0.watch.ledger.accepted }
        guard let first, let second, Ledger.Content(first) == content, Ledger.Content(second) == content
        else {
            return violated("I4", "a second recovery finds something else")
        }
    }

    func takeComplaints() {
        with { state in
            for complaint in state.server.takeComplaints() {
                state.watch.violated(complaint.invariant, complaint.text)
            }
        }
    }

    var violations: [Violation] { with { $0.watch.violations } }
}

extension World {
    /// Handles an update that the queue sends to its clients.
    func shown(_ update: QueueUpdate, life: Int) {
        guard isAlive(life) else { return }
        with { state in
            state.log.add("shown", update.changed.count, update.removed.count)
            // During a failure of the disk, updates show states that are not durable.
            guard update.status.notice?.category != .storage else { return }
            for upload in update.changed {
                guard case .done = upload.state else { continue }
                state.watch.uploads[upload.id]?.wasShownDone = true
            }
        }
    }

    /// Returns the current identity of a file; nil if the file does not exist.
    func identity(of path: LocalPath) async -> FileIdentity? {
        with { state in
            guard let file = Int(path.name), let version = state.versions[file] else { return nil }
            let size =
                state.watch.uploads.values.lazy.compactMap(\.last)
                .first { $0.path == path }?.identity.size ?? 0
            return FileIdentity(
                device: 1, inode: UInt64(file), size: size, modified: version, changed: version)
        }
    }
}
