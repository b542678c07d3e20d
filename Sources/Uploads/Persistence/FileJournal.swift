import Dispatch
import Synchronization

/// A journal on disk: a snapshot of the queue (`queue.json`) and journal files, to which later changes are appended.
/// Calls of `submit` that wait at the same time share one write and one sync, on threads of the journal's own.
public final class FileJournal: Journal {
    /// The rules for writing snapshots and for making changes durable.
    public struct Options: Sendable {
        /// The number of bytes in the journals above which a new snapshot is written, at least half of the old one's.
        public var compactionThreshold = 8 << 20
        /// True to write a snapshot when the journal is opened or closed, if the current one is missing or lacks
        /// changes. False to write one only if it is missing or the journals are too long (`compactionThreshold`), so
        /// that a process with one change does not rewrite a long queue.
        public var snapshotsAtEnds = true
        /// The maximum number of bytes that are written but not synced yet.
        public var maximumVolatile = 1 << 20
        /// The number of bytes of disk space to reserve for servers' responses and for a new snapshot on a full disk.
        public var reserve = 1 << 20
        /// The treatment of a snapshot that a user has edited.
        public var editedSnapshot = EditedSnapshot.refuse
        /// The wall clock, used only for `savedAt` in snapshots.
        public var now: @Sendable () -> Date = { Date() }

        public init() {}
    }

    private struct Append {
        var entry: JournalStore.Entry
        var isDurable: Bool
        var completion: @Sendable (Result<Void, JournalError>) -> Void
    }

    private enum Intake {
        case idle
        /// The appends that the next write stores; possibly none. A call of `drain` will write them.
        case waiting([Append])
        case closed
    }

    private let intake = Mutex(Intake.idle)
    private let store: Mutex<JournalStore>
    private let lock: Mutex<StateLock?>
    private let changes: AsyncStream<JournalCondition>
    private let continuation: AsyncStream<JournalCondition>.Continuation
    private let writer = DispatchQueue(label: "journal.write")
    private let compactor = DispatchQueue(label: "journal.compact", qos: .utility)

    /// Creates a journal in the folder of `lock`. The journal keeps the lock until `close` is called.
    public convenience init(_ lock: StateLock, options: Options = Options()) {
        self.init(files: lock.files, lock: lock, options: options)
    }

    package init(files: any StateFiles, lock: StateLock?, options: Options) {
        store = Mutex(JournalStore(files: files, options: options))
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.lock = Mutex(lock)
    }

    public func load() throws(JournalError) -> Recovered {
        let (recovered, isDue) = try store.withLock { store throws(JournalError) in
            (try store.load(), store.isDueAtEnds)
        }
        if isDue { compactor.async { try? self.compact() } }
        return recovered
    }

    public func submit(
        _ changes: [QueueChange], _ durability: Durability,
        answer: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        let append = Append(
            entry: JournalStore.Entry(changes, isFinding: durability == .finding),
            isDurable: durability != .process, completion: answer)
        let wasIdle: Bool? = intake.withLock { intake in
            switch intake {
            case .idle:
                intake = .waiting([append])
                return true
            case .waiting(var appends):
                // Clears the state first. Otherwise `append` would copy the array.
                intake = .idle
                appends.append(append)
                intake = .waiting(appends)
                return false
            case .closed: return nil
            }
        }
        switch wasIdle {
        case true: writer.async { self.drain() }
        case false: break
        case nil: answer(.failure(.notOpen))
        }
    }

    public nonisolated(nonsending) func flush() async throws(JournalError) {
        let result = await withCheckedContinuation { continuation in
            compactor.async {
                continuation.resume(returning: Result { () throws(JournalError) in try self.compact() })
            }
        }
        try result.get()
    }

    public func conditions() -> AsyncStream<JournalCondition> { changes }

    public nonisolated(nonsending) func repair() async -> JournalCondition {
        await withCheckedContinuation { continuation in
            compactor.async {
                let isMissing = self.store.withLock { store in
                    store.repair()
                    return store.compactionFailure != nil
                }
                if isMissing { try? self.compact() }
                continuation.resume(returning: self.tell())
            }
        }
    }

    /// Sends the journal's condition to the reader of `conditions()`, if it has changed, and returns it.
    @discardableResult
    private func tell() -> JournalCondition {
        store.withLock { store in
            let condition = store.condition
            // The lock makes sure that the last condition sent is the current one.
            if store.reportedCondition != condition { continuation.yield(condition) }
            store.reportedCondition = condition
            return condition
        }
    }

    public nonisolated(nonsending) func close() async throws(JournalError) {
        let rest = intake.withLock { intake in
            defer { intake = .closed }
            return if case .waiting(let appends) = intake { appends } else { [Append]() }
        }
        let result = await withCheckedContinuation { continuation in
            writer.async {
                self.write(rest)
                self.compactor.async { continuation.resume(returning: self.finish()) }
            }
        }
        try result.get()
    }

    var waitingCount: Int {
        intake.withLock { if case .waiting(let appends) = $0 { appends.count } else { 0 } }
    }

    private func drain() {
        while true {
            let appends = intake.withLock { intake in
                guard case .waiting(let appends) = intake else { return [Append]() }
                intake = appends.isEmpty ? .idle : .waiting([])
                return appends
            }
            guard !appends.isEmpty else { return }
            write(appends)
        }
    }

    private func write(_ appends: [Append]) {
        guard !appends.isEmpty else { return }
        let (results, isDue) = store.withLock { store in
            let results = store.append(appends.map(\.entry), durably: appends.contains { $0.isDurable })
            return (results, store.isCompactionDue)
        }
        tell()
        for (append, result) in zip(appends, results) { append.completion(result) }
        if isDue {
            compactor.async {
                // An earlier task may have done the work by then.
                if self.store.withLock({ $0.isCompactionDue }) { try? self.compact() }
            }
        }
    }

    /// Writes a new snapshot if one is due. On a full disk, releases the reserved space and tries once more. Runs on
    /// the queue `compactor`, and blocks appends only while the store switches to a new journal file.
    private func compact() throws(JournalError) {
        defer { tell() }
        do throws(JournalError) {
            try compactOnce()
        } catch {
            // The reserved disk space is released for the snapshot, because a snapshot makes the queue's files smaller.
            guard error.isDiskFull, store.withLock({ $0.spendReserve(for: error) }) else { throw error }
            defer { store.withLock { $0.repair() } }
            try compactOnce()
        }
    }

    private func compactOnce() throws(JournalError) {
        guard let compaction = try store.withLock({ store throws(JournalError) in try store.rotate() }) else {
            return
        }
        do throws(JournalError) {
            let written = try compaction.run()
            store.withLock { $0.finish(written) }
        } catch {
            store.withLock { $0.fail(error) }
            throw error
        }
    }

    private func finish() -> Result<Void, JournalError> {
        guard store.withLock({ $0.isOpen }) else {
            lock.withLock { $0 = nil }
            return .success(())
        }
        let result = Result { () throws(JournalError) in
            let isDue = try store.withLock { store throws(JournalError) in
                try store.synchronize()
                return store.isDueAtEnds
            }
            if isDue { try compact() }
        }
        store.withLock { $0.close() }
        continuation.finish()
        lock.withLock { $0 = nil }
        return result
    }
}
