import FerryProtocols

/// A store that preserves the uploads of a queue beyond the end of the process. `FileJournal` stores them on disk;
/// tests can use a journal in memory.
public protocol Journal: Sendable {
    /// Loads the uploads and the settings of the queue, in their state after the last acknowledged change. The caller
    /// must call this function once, before all others.
    func load() throws(JournalError) -> Recovered

    /// Writes `changes` to the journal: all of them, or none if there is an error. Returns at once, before the write.
    /// The changes of several calls are written in the sequence of the calls.
    ///
    /// - Parameter answer: Called when the changes are as durable as `durability` requires, or with an error if none of
    ///   them was stored. If `changes` is empty and `durability` is `powerCut`, called when the changes of all earlier
    ///   calls are durable.
    func submit(
        _ changes: [QueueChange], _ durability: Durability,
        answer: @escaping @Sendable (Result<Void, JournalError>) -> Void)

    /// Makes the changes of all earlier calls of `submit` durable. Then writes a complete snapshot if the current one
    /// is missing or lacks changes.
    nonisolated(nonsending) func flush() async throws(JournalError)

    /// Returns a stream of the journal's conditions: whether it can store changes and write snapshots. The stream has
    /// an element for each change of the condition. If the reader is slow, it gets only the newest condition. Only one
    /// reader is allowed.
    func conditions() -> AsyncStream<JournalCondition>

    /// Tries to end a failure. Checks whether a full disk has space again, writes new files after a failed sync, and
    /// writes a snapshot if the last attempt failed.
    ///
    /// - Returns: The condition of the journal after the repair.
    nonisolated(nonsending) func repair() async -> JournalCondition

    /// Makes all changes durable, writes a complete snapshot if a new one is needed, and closes the files. The journal
    /// refuses later changes.
    ///
    /// - Throws: `JournalError` if the sync or the snapshot failed. The acknowledged changes stay in the files, and the
    ///   journal is closed all the same.
    nonisolated(nonsending) func close() async throws(JournalError)
}

/// The event that a stored change must survive: only the end of the process, or also a power cut.
public enum Durability: Hashable, Sendable {
    /// The changes survive the end of the process, but a power cut can destroy them.
    case process
    /// The changes survive a power cut.
    case powerCut
    /// The changes survive a power cut. On a full disk, the reserved disk space can be used for them. This case is for
    /// results that Ferry cannot request again, such as a server's response.
    case finding
}

extension Journal {
    /// Writes `changes`, and waits until they are stored. If `durably` is true, the stored changes survive a power cut.
    /// If it is false, they survive the end of the process, but a power cut can destroy them.
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

    /// Makes the changes of all earlier calls durable, but writes no snapshot. This is the default implementation.
    public nonisolated(nonsending) func flush() async throws(JournalError) {
        try await append([], durably: true)
    }
}

/// One change of the queue. The change contains the complete new value, so applying it twice has the same result as
/// applying it once.
public enum QueueChange: Hashable, Sendable {
    /// Adds the upload. If the queue already has an upload with the same id, replaces that upload.
    case set(Upload)
    case remove(Upload.ID)
    case settings(QueueSettings)
}

/// The settings of the queue as a whole, which outlive the process.
public struct QueueSettings: Hashable, Sendable {
    /// The bandwidth limits that users set: for all uploads, for a destination or for a batch. If one of these has no
    /// entry, the limit in the configuration applies to it.
    public var limits: [LimitScope: Bandwidth]
    /// The number of slots for running uploads (small uploads can share a slot), as a user set it. Nil to use the
    /// number in the configuration.
    public var concurrency: Int?
    /// The id of the next new upload. Loading the queue raises this number above all ids in the queue's files,
    /// including the ids of removed uploads. So the number need not be written for each new upload.
    public var nextID: Upload.ID
    /// The names of the paused batches. A new upload in a paused batch is paused too.
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

/// The content of a queue after it was loaded from its files.
public struct Recovered: Hashable, Sendable {
    /// The uploads, in ascending order of ids.
    public var uploads: [Upload]
    /// The settings of the queue, as they were written last.
    public var settings: QueueSettings
    /// The messages to users about the loading, for example about a repaired file. Usually there are none, even after a
    /// crash.
    public var notices: [RecoveryNotice]

    public init(
        uploads: [Upload] = [], settings: QueueSettings = QueueSettings(), notices: [RecoveryNotice] = []
    ) {
        self.uploads = uploads
        self.settings = settings
        self.notices = notices
    }
}

/// An event during the loading of a queue's files that users should know, such as a repair of a file.
public enum RecoveryNotice: Hashable, Sendable {
    /// The last record of the journal `file` was incomplete. The `bytes` bytes of this record were moved from the
    /// journal to a new file with the name `keptAs`.
    case tornTail(file: String, bytes: Int, keptAs: String)
    /// The snapshot `queue.json` could not be used, for the reason in `reason`. The queue was loaded from the previous
    /// snapshot and the journals, or from the journals alone if there is no previous snapshot. `keptAs` is the new name
    /// of `queue.json`; nil if that file was missing.
    case usedPreviousSnapshot(reason: String, keptAs: String?)
    /// A user had edited the snapshot, and Ferry has accepted the edit.
    case acceptedEdit
    /// The values of these uploads in the edited snapshot were not used, because the journals contain newer changes of
    /// the same uploads.
    case editOverruled([Upload.ID])
    /// The number of operations in the journals that this version of Ferry does not know and skipped. A newer version
    /// marked these operations as safe to skip. They stay stored in the queue's files.
    case skippedRecords(Int)
    /// The journal `file`, to which the changes after the snapshot belong, is missing. If it contained changes, they
    /// are lost.
    case journalMissing(file: String)

    /// The notice in one sentence without a final period.
    public var summary: String {
        switch self {
        case .tornTail(let file, let bytes, let keptAs):
            "\(ByteFormat.sentence(bytes)) of an unfinished record were moved from \(file) to \(keptAs)"
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
