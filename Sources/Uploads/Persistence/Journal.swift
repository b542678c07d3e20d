import FerryProtocols

/// A store that preserves the uploads of a queue beyond the end of the process. `FileJournal` stores them on disk;
/// tests can use a journal in memory.
public protocol Journal: Sendable {
    /// Returns the uploads and the settings as of the last acknowledged change. Call it first, and only once.
    func load() throws(JournalError) -> Recovered

    /// Queues `changes` for writing, in the sequence of the calls. Stores all of them or none. Returns at once.
    ///
    /// - Parameter answer: Called when the changes are as durable as `durability` requires, or with an error if none of
    ///   them was stored. With `powerCut` and no changes, it is called when all earlier changes are durable.
    func submit(
        _ changes: [QueueChange], _ durability: Durability,
        answer: @escaping @Sendable (Result<Void, JournalError>) -> Void)

    /// Makes all earlier changes durable, and writes a complete snapshot if the current one lacks changes.
    nonisolated(nonsending) func flush() async throws(JournalError)

    /// Returns a stream of the journal's conditions, with an element for each change of the condition. A slow reader
    /// gets only the newest condition. Only one reader is allowed.
    func conditions() -> AsyncStream<JournalCondition>

    /// Retries failed work: checks the free disk space, switches to new files after a failed sync, writes a missing
    /// snapshot.
    ///
    /// - Returns: The condition after the repair.
    nonisolated(nonsending) func repair() async -> JournalCondition

    /// Makes all changes durable, writes a complete snapshot if one is due, and closes the files. The journal refuses
    /// changes after the call.
    ///
    /// - Throws: `JournalError` if the sync or the snapshot failed. Acknowledged changes are not lost even then.
    nonisolated(nonsending) func close() async throws(JournalError)
}

/// The events that acknowledged changes survive: only the end of the process, or also a power cut.
public enum Durability: Hashable, Sendable {
    /// Changes survive the end of the process, but perhaps not a power cut.
    case process
    /// Changes survive a power cut.
    case powerCut
    /// Changes survive a power cut, and are allowed to use the reserved disk space if the disk is full. Used for
    /// results that the engine cannot get a second time, such as a server's response.
    case finding
}

extension Journal {
    /// Writes `changes`, and waits until they are stored. If `durably`, they then survive a power cut, else only the
    /// end of the process.
    ///
    /// - Throws: `JournalError` if none of the changes was stored.
    public nonisolated(nonsending) func append(
        _ changes: [QueueChange], durably: Bool
    ) async throws(JournalError) {
        let result = await withCheckedContinuation { continuation in
            submit(changes, durably ? .powerCut : .process) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Makes all earlier changes durable. This is the default for journals without snapshots.
    public nonisolated(nonsending) func flush() async throws(JournalError) {
        try await append([], durably: true)
    }
}

/// One change of the queue. It contains the new value, not a difference, so applying it twice is harmless.
public enum QueueChange: Hashable, Sendable {
    /// Adds the upload. If there is already an upload with this id, replaces it.
    case set(Upload)
    case remove(Upload.ID)
    case settings(QueueSettings)
}

/// The settings of the queue as a whole, which outlive the process.
public struct QueueSettings: Hashable, Sendable {
    /// The limits that users set, by scope. A scope that is missing has the configured limit.
    public var limits: [LimitScope: Bandwidth]
    /// The number of uploads that run at once; nil for the configured number.
    public var concurrency: Int?
    /// The next id to assign. Recovery raises it above every id that was ever written, even those of removed uploads.
    /// So it need not be written for each new upload.
    public var nextID: Upload.ID
    /// The names of the paused batches. An upload that is added to one of them is paused too.
    public var pausedBatches: Set<String>

    public init(
        limits: [LimitScope: Bandwidth] = [:], concurrency: Int? = nil, nextID: Upload.ID = 1,
        pausedBatches: Set<String> = []
    ) {
        self.limits = limits
        self.concurrency = concurrency
        self.nextID = nextID
        self.pausedBatches = pausedBatches
    }

    /// Makes sure that `id` is never assigned again.
    mutating func reserve(_ id: Upload.ID) {
        let (following, overflow) = id.addingReportingOverflow(1)
        nextID = max(nextID, overflow ? .max : following)
    }
}

/// The state that a queue starts with.
public struct Recovered: Hashable, Sendable {
    /// The uploads, in ascending order of ids.
    public var uploads: [Upload]
    /// The settings as last written.
    public var settings: QueueSettings
    /// The repairs and other events to report to users. Usually empty, even after a crash.
    public var notices: [RecoveryNotice]

    public init(
        uploads: [Upload] = [], settings: QueueSettings = QueueSettings(), notices: [RecoveryNotice] = []
    ) {
        self.uploads = uploads
        self.settings = settings
        self.notices = notices
    }
}

/// A repair or another event of a recovery that users should know. Acknowledged changes can only be lost if a journal
/// was missing (`journalMissing`).
public enum RecoveryNotice: Hashable, Sendable {
    /// The last record of `file` was incomplete. Its `bytes` bytes were moved to the file `keptAs`.
    case tornTail(file: String, bytes: Int, keptAs: String)
    /// `queue.json` was not used because of `reason`. The queue comes from the previous snapshot, if there is one, and
    /// the journals. `keptAs` is the new name of `queue.json`; nil if the file was missing.
    case usedPreviousSnapshot(reason: String, keptAs: String?)
    /// A snapshot that a user edited was accepted.
    case acceptedEdit
    /// The journals contain changes of these uploads since the edited snapshot. These changes replace the values in it.
    case editOverruled([Upload.ID])
    /// Recovery skipped this number of records from a newer version of Ferry, and keeps them. The newer version marked
    /// them as safe to skip.
    case skippedRecords(Int)
    /// The journal that follows the snapshot is missing. Changes since the snapshot, if any, are lost.
    case journalMissing(file: String)

    /// The notice in one sentence without a final period.
    public var summary: String {
        switch self {
        case .tornTail(let file, let bytes, let keptAs):
            "\(bytes) bytes of an unfinished record were dropped from \(file) and kept as \(keptAs)"
        case .usedPreviousSnapshot(let reason, let keptAs):
            "queue.json was not usable (\(reason)); the previous snapshot and the journals were used, nothing is lost"
                + (keptAs.map { "; the damaged file is kept as \($0)" } ?? "")
        case .acceptedEdit: "queue.json was changed outside and has been taken over"
        case .editOverruled(let ids):
            "the journal has later changes of \(ids.count == 1 ? "upload" : "uploads") "
                + ids.prefix(10).map(String.init).joined(separator: ", ") + (ids.count > 10 ? ", …" : "")
                + ": those count, not what queue.json said"
        case .skippedRecords(let count): "\(count) records of a newer version were passed over and kept"
        case .journalMissing(let file):
            "\(file) is missing; the queue is as queue.json describes it"
        }
    }
}
