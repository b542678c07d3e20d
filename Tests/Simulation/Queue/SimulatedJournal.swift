import FerryStateSimulation
import FerryUploads
import Foundation
import Synchronization

/// The real journal store on a simulated disk. The schedule decides when a write takes some of the waiting appends and
/// when a snapshot is written. `FileJournal` does this on threads of its own.
final class SimulatedJournal: Journal {
    private struct Append: Sendable {
        var changes: [QueueChange]
        var isFinding: Bool
        var isDurable: Bool
        var entry: Int
        var answer: @Sendable (Result<Void, JournalError>) -> Void
    }

    private enum Snapshot {
        case none
        case due
        case under(Compaction)
    }

    private struct State {
        var store: JournalStore
        var waiting: [Append] = []
        var snapshot = Snapshot.none
        var isClosed = false
    }

    private let world: World
    private let life: Int
    private let disk: SimulatedDisk
    private let state: Mutex<State>

    init(_ disk: SimulatedDisk, world: World, life: Int) {
        self.world = world
        self.life = life
        self.disk = disk
        var options = FileJournal.Options()
        options.compactionThreshold = world.number(in: 300...6000)
        options.maximumVolatile = world.number(in: 200...4000)
        options.reserve = world.number(in: 0...3) * 2000
        options.now = { world.date }
        let files: any StateFiles = world.mutant == .foldersAreNotSynced ? UnsyncedNames(disk: disk) : disk
        state = Mutex(State(store: JournalStore(files: files, options: options)))
    }

    var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }
    var hasSnapshotToWrite: Bool {
        state.withLock { if case .none = $0.snapshot { false } else { true } }
    }

    func load() throws(JournalError) -> Recovered {
        let (recovered, isBehind) = try state.withLock { state throws(JournalError) in
            (try state.store.load(), state.store.isBehind)
        }
        if isBehind { state.withLock { $0.snapshot = .due } }
        world.recovered(recovered, life: life)
        return recovered
    }

    nonisolated(nonsending) func repair() async -> JournalCondition {
        state.withLock { state in
            state.store.repair()
            return state.store.condition
        }
    }

    func submit(
        _ changes: [QueueChange], _ durability: Durability,
        answer: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        guard world.isAlive(life), !state.withLock({ $0.isClosed }) else { return answer(.failure(.notOpen)) }
        let isDurable = durability != .process
        let entry = world.willWrite(changes, durably: isDurable, life: life)
        state.withLock {
            $0.waiting.append(
                Append(
                    changes: changes, isFinding: durability == .finding, isDurable: isDurable, entry: entry,
                    answer: answer))
        }
    }

    nonisolated(nonsending) func close() async throws(JournalError) {
        state.withLock { $0.isClosed = true }
        guard world.isAlive(life) else { return }
        write(atMost: .max)
        let result = state.withLock { state in
            Result { () throws(JournalError) in
                if case .under(let compaction) = state.snapshot { state.store.finish(try compaction.run()) }
                try state.store.compact()
                state.store.close()
            }
        }
        try result.get()
    }

    /// Writes the first `limit` waiting appends with one call of the store.
    func write(atMost limit: Int) {
        let batch = state.withLock { state in
            defer { state.waiting.removeFirst(min(limit, state.waiting.count)) }
            return Array(state.waiting.prefix(limit))
        }
        guard !batch.isEmpty else { return }
        let mutant = world.mutant
        let isDurable = batch.contains { $0.isDurable && !isForgotten($0.changes) }
        let written = batch.map { append in
            let isShort = mutant == .recordsAreDropped && append.changes.count > 1
            return JournalStore.Entry(
                isShort ? append.changes.dropLast() : append.changes, isFinding: append.isFinding)
        }
        let results = state.withLock { $0.store.append(written, durably: isDurable) }
        if world.isAlive(life) {
            for (append, result) in zip(batch, results) {
                let isAcknowledged = if case .success = result { true } else { false }
                world.wrote(
                    append.entry, append.changes, acknowledged: isAcknowledged, durably: append.isDurable)
            }
            state.withLock { state in
                if case .none = state.snapshot, state.store.isCompactionDue { state.snapshot = .due }
            }
        }
        for (append, result) in zip(batch, results) { append.answer(result) }
    }

    private func isForgotten(_ changes: [QueueChange]) -> Bool {
        switch world.mutant {
        case .appendsAreNotSynced: true
        case .doneIsNotSynced:
            changes.contains { if case .set(let upload) = $0 { upload.state.kind == "done" } else { false } }
        default: false
        }
    }

    /// Takes one step of a snapshot: starts a new journal, or writes the snapshot of the changes before it.
    func writeSnapshot() {
        let isWritten = state.withLock { state in
            switch state.snapshot {
            case .none: return false
            case .due:
                // The store remembers the error and tries again later.
                state.snapshot = (try? state.store.rotate()).flatMap { $0 }.map(Snapshot.under) ?? .none
                return false
            case .under(let compaction):
                state.snapshot = .none
                do throws(JournalError) {
                    let written = try compaction.run()
                    state.store.finish(written)
                    return written.durabilityError == nil
                } catch {
                    state.store.fail(error)
                    return false
                }
            }
        }
        guard isWritten, world.isAlive(life) else { return }
        world.with { $0.watch.isDiskUncertain = false }
        if world.happens(20) { world.checkSnapshot(of: disk.restarted()) }
    }

    /// Ends all waiting appends with an error, as the process is gone.
    func abandon() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for append in waiting { append.answer(.failure(.notOpen)) }
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
