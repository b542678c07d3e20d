import FerryProtocols

/// A store in which uploads outlive the process. `FileJournal` is the real one; tests may use one in memory.
public protocol Journal: Sendable {
    /// Everything that was acknowledged, in ascending order of ids. Call once, before anything else.
    func load() throws(JournalError) -> Recovered

    /// Takes `changes` to be written down, wholly or not at all, in the order of the calls. Returns at once.
    ///
    /// - Parameter answer: Called once they are kept as `durability` says, or with an error: then none of them has
    ///   happened. With no changes and `powerCut` it makes earlier ones durable.
    func submit(
        _ changes: [QueueChange], _ durability: Durability,
        answer: @escaping @Sendable (Result<Void, JournalError>) -> Void)

    /// Writes a complete snapshot, so that the changes before it are needed no more.
    nonisolated(nonsending) func flush() async throws(JournalError)

    /// Each change of what the journal can promise; the last one alone for who reads late. One reader.
    func conditions() -> AsyncStream<JournalCondition>

    /// Tries again what failed: looks for room, turns to new files, writes the snapshot that is missing.
    ///
    /// - Returns: How it is afterwards.
    nonisolated(nonsending) func repair() async -> JournalCondition

    /// Writes a complete snapshot and lets go of the files; later appends are refused. An error means that only
    /// the snapshot is missing: nothing that was acknowledged is lost.
    nonisolated(nonsending) func close() async throws(JournalError)
}

/// The events that changes survive once the journal has taken them.
public enum Durability: Hashable, Sendable {
    /// Changes survive the process.
    case process
    /// Changes survive a power cut.
    case powerCut
    /// Changes survive a power cut. The engine found them out and nobody can ask for them again, such as a server's
    /// response: on a full disk they take the room that is kept in reserve.
    case finding
}

extension Journal {
    /// Writes `changes` down, and returns once they would survive a power cut if `durably`, else the process.
    public nonisolated(nonsending) func append(
        _ changes: [QueueChange], durably: Bool
    ) async throws(JournalError) {
        let result = await withCheckedContinuation { continuation in
            submit(changes, durably ? .powerCut : .process) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Makes everything durable, in journals without snapshots.
    public nonisolated(nonsending) func flush() async throws(JournalError) {
        try await append([], durably: true)
    }
}

/// One change of the queue. Absolute, never an increment: carrying it out twice changes nothing.
public enum QueueChange: Hashable, Sendable {
    /// The upload with this id is now so, whether it was known before or not.
    case set(Upload)
    case remove(Upload.ID)
    case settings(QueueSettings)
}

/// The settings of the queue as a whole, which outlive the process.
public struct QueueSettings: Hashable, Sendable {
    /// Limits that somebody ordered; the others are as configured.
    public var limits: [LimitScope: Bandwidth]
    /// Uploads running at once; nil for the configured number.
    public var concurrency: Int?
    /// The next id to give away. When read back it exceeds every id ever written, removed ones too, so it need not
    /// be written for each upload.
    public var nextID: Upload.ID
    /// The batches to which uploads are added paused.
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

    /// Makes sure that `id` is never given away.
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
    /// The repairs, for people. Empty after a clean exit, and after most crashes.
    public var notices: [RecoveryNotice]

    public init(
        uploads: [Upload] = [], settings: QueueSettings = QueueSettings(), notices: [RecoveryNotice] = []
    ) {
        self.uploads = uploads
        self.settings = settings
        self.notices = notices
    }
}

/// A repair by recovery. Nothing acknowledged was lost by it.
public enum RecoveryNotice: Hashable, Sendable {
    /// The last record of `file` was never finished; its `bytes` bytes were moved to `keptAs`.
    case tornTail(file: String, bytes: Int, keptAs: String)
    /// `queue.json` was unusable for the reason given; the snapshot before it and the journals were used.
    case usedPreviousSnapshot(reason: String, keptAs: String?)
    /// A snapshot changed outside was taken over.
    case acceptedEdit
    /// The journal has changes of these uploads that are later than the edited snapshot.
    case editOverruled([Upload.ID])
    /// Records of a newer version that it declared safe to pass over; they are kept.
    case skippedRecords(Int)
    /// The journal that belongs to the snapshot is not there: changes since the snapshot, if any, are not known.
    case journalMissing(file: String)

    /// One sentence without a final stop.
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
