import FerryProtocols

/// A store that preserves the uploads of a queue beyond the end of the process. `FileJournal` is the one on disk.
public protocol Journal: Sendable {
    /// Loads the uploads and the settings after the last acknowledged change. Called once, before all others.
    func load() throws(JournalError) -> Recovered

    /// Writes all of `changes` or, after an error, none, in the sequence of the calls. Returns before the write.
    /// `answer` is called when they, and all earlier ones, are as durable as `durability` requires.
    func submit(
        _ changes: [QueueChange], _ durability: Durability,
        answer: @escaping @Sendable (Result<Void, JournalError>) -> Void)

    /// Makes all earlier changes durable. Then writes a snapshot if the current one is missing or lacks changes.
    nonisolated(nonsending) func flush() async throws(JournalError)

    /// Returns a stream of the changes of the journal's condition for one reader. A slow reader gets only the newest.
    func conditions() -> AsyncStream<JournalCondition>

    /// Tries to end a failure: a full disk, a failed sync or a failed snapshot. Returns the condition afterwards.
    nonisolated(nonsending) func repair() async -> JournalCondition

    /// Makes all changes durable, writes a snapshot if one is needed, and closes the files, even after an error.
    nonisolated(nonsending) func close() async throws(JournalError)
}

/// The event that a stored change must survive: only the end of the process, or also a power cut.
public enum Durability: Hashable, Sendable {
    /// The changes survive the end of the process, but a power cut can destroy them.
    case process
    /// The changes survive a power cut.
    case powerCut
    /// The changes, a server's response for example, survive a power cut and may use the reserved disk space.
    case finding
}

/// The ability of a journal to store changes and to write snapshots.
public enum JournalCondition: Hashable, Sendable {
    /// The journal accepts every change, and writing snapshots works.
    case healthy
    /// The journal accepts every change, but the last snapshot could not be written. The journal files grow.
    case snapshotOverdue(JournalError)
    /// The journal refuses the changes of users' commands. On a full disk, it can still store changes of `finding` in
    /// the reserved disk space, until that is used up.
    case refusing(JournalError)
}

extension Journal {
    /// Writes `changes`, and waits until they survive a power cut, or only the process if `durably` is false.
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

    /// Returns an empty stream. This is the default for journals whose condition never changes.
    public func conditions() -> AsyncStream<JournalCondition> { AsyncStream { $0.finish() } }

    /// Returns `healthy`. This is the default for journals that need no repair.
    public nonisolated(nonsending) func repair() async -> JournalCondition { .healthy }
}

/// One change of the queue, with the complete new value. So it can be applied twice.
public enum QueueChange: Hashable, Sendable {
    /// Adds the upload. If the queue already has an upload with the same id, replaces that upload.
    case set(Upload)
    /// Sets only the state of those of these uploads that the queue has. It is short, even for a whole queue.
    case setState([Upload.ID], Upload.State)
    case remove(Upload.ID)
    /// Removes all these uploads. It is short if their numbers follow one another.
    case removeAll([Upload.ID])
    case settings(QueueSettings)
}

/// The settings of the queue as a whole, which outlive the process.
public struct QueueSettings: Hashable, Sendable {
    /// The numbers of slots that a user may choose.
    package static let slotCounts = 1...1_000

    /// The bandwidth limits that users set. Without an entry, the limit in the configuration applies.
    public var limits: [LimitScope: Bandwidth]
    /// The number of slots, as a user set it; nil for the one in the configuration.
    public var concurrency: Int?
    /// The id of the next new upload. Loading raises it above all ids in the files.
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
    /// The messages to users about the loading, such as a repaired file. Usually there are none, even after a crash.
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
    /// The last record of the journal `file` was incomplete. Its `bytes` bytes were moved to the new file `keptAs`.
    case tornTail(file: String, bytes: Int, keptAs: String)
    /// The snapshot could not be used and is now called `keptAs`; nil if it was missing. The queue was loaded from the
    /// previous snapshot, if there is one, and the journals.
    case usedPreviousSnapshot(reason: String, keptAs: String?)
    /// A user had edited the snapshot, and Ferry has accepted the edit.
    case acceptedEdit
    /// The values of these uploads in the edited snapshot were not used: the journals have newer changes of them.
    case editOverruled([Upload.ID])
    /// The number of operations of a newer version that were skipped, as that version allows. They stay in the files.
    case skippedRecords(Int)
    /// The journal `file` is missing. If it contained changes after the snapshot, they are lost.
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
