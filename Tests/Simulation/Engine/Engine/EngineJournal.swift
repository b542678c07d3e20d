import FerryStateSimulation
import FerryUploads
import Foundation

/// The real journal store on a simulated disk. It writes only when the simulation calls `write` and `writeSnapshot`.
struct EngineJournal {
    struct Append {
        var changes: [QueueChange]
        var durability: Durability
        var ticket: Ticket
        /// The number of this append in the judge's ledger.
        var entry: Int

        var isDurable: Bool { durability != .process }
    }

    private enum Snapshot {
        case none
        case due
        case underWay(Compaction)
    }

    private let mutant: EngineMutant?
    private var store: JournalStore
    private var waiting: [Append] = []
    private var snapshot = Snapshot.none

    init(_ disk: SimulatedDisk, options: FileJournal.Options, mutant: EngineMutant?) {
        self.mutant = mutant
        let files: any StateFiles = mutant == .foldersAreNotSynced ? UnsyncedNames(disk: disk) : disk
        store = JournalStore(files: files, options: options)
    }

    var hasWaiting: Bool { !waiting.isEmpty }
    var hasSnapshotToWrite: Bool { if case .none = snapshot { false } else { true } }
    var condition: JournalCondition { store.condition }

    mutating func load() throws(JournalError) -> Recovered {
        let recovered = try store.load()
        if store.isBehind { snapshot = .due }
        return recovered
    }

    mutating func submit(_ append: Append) { waiting.append(append) }

    /// Writes the first `limit` waiting appends with one call of the store.
    mutating func write(atMost limit: Int) -> [(Append, Result<Void, JournalError>)] {
        let batch = Array(waiting.prefix(limit))
        waiting.removeFirst(batch.count)
        guard !batch.isEmpty else { return [] }
        let entries = batch.map { append in
            let isShort = mutant == .recordsAreDropped && append.changes.count > 1
            return JournalStore.Entry(
                isShort ? append.changes.dropLast() : append.changes,
                isFinding: append.durability == .finding)
        }
        let results = store.append(entries, durably: batch.contains { $0.isDurable && !isForgotten($0) })
        if case .none = snapshot, store.isCompactionDue { snapshot = .due }
        return Array(zip(batch, results))
    }

    private func isForgotten(_ append: Append) -> Bool {
        switch mutant {
        case .appendsAreNotSynced: true
        case .doneIsNotSynced:
            append.changes.contains { if case .set(let upload) = $0 { upload.isDone } else { false } }
        default: false
        }
    }

    /// Takes one step of a snapshot: starts a new journal, or writes the snapshot of the changes before it.
    ///
    /// - Returns: True if a snapshot was written and synced.
    mutating func writeSnapshot() -> Bool {
        switch snapshot {
        case .none: return false
        case .due:
            snapshot = (try? store.rotate()).flatMap { $0 }.map(Snapshot.underWay) ?? .none
            return false
        case .underWay(let compaction):
            snapshot = .none
            do throws(JournalError) {
                let written = try compaction.run()
                store.finish(written)
                return written.durabilityError == nil
            } catch {
                store.fail(error)
                return false
            }
        }
    }

    mutating func repair() -> JournalCondition {
        store.repair()
        return store.condition
    }
}

/// A disk that ignores syncs of the folder.
private struct UnsyncedNames: StateFiles {
    let disk: SimulatedDisk

    var path: String { disk.path }
    func names() throws(SystemCallError) -> [String] { try disk.names() }
    func open(_ name: String, for access: FileAccess) throws(SystemCallError) -> (any StateFile)? {
        try disk.open(name, for: access)
    }
    func create(_ name: String) throws(SystemCallError) -> any StateFile { try disk.create(name) }
    func link(_ name: String, as other: String) throws(SystemCallError) { try disk.link(name, as: other) }
    func rename(_ name: String, to other: String) throws(SystemCallError) {
        try disk.rename(name, to: other)
    }
    func remove(_ name: String) throws(SystemCallError) { try disk.remove(name) }
    func isSame(_ name: String, _ other: String) throws(SystemCallError) -> Bool {
        try disk.isSame(name, other)
    }
    func synchronize() throws(SystemCallError) {}
}
