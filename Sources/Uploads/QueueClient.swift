public import FerryFiles
public import FerryProtocols

/// The interface through which clients use the upload queue. Clients are the screen, the subcommands and other
/// processes of Ferry.
///
/// All parameters and results can be encoded, because clients in other processes use this interface over a Unix socket
/// (the control socket).
public protocol QueueClient: Sendable {
    /// Carries out one command, and returns the reply. If the command succeeds, its change is on disk before the reply
    /// comes. The exceptions are `tryNow` and `stopWhenIdle`, which change only memory.
    func perform(_ command: QueueCommand) async -> QueueReply

    /// Returns a stream of the queue's changes, in sequence. The first element contains the whole queue, and its
    /// `isComplete` is true. The queue does not wait for a slow reader. If an upload changes several times before the
    /// reader reads the changes, the reader gets only the newest state.
    func updates() async -> AsyncStream<QueueUpdate>

    /// Returns the current progress of the running uploads. The call is fast, so a client can repeat it several times a
    /// second.
    func progress() -> [ProgressSample]
}

/// A command of a user for the queue.
public enum QueueCommand: Hashable, Codable, Sendable {
    case add([NewUpload])
    /// Adds each file that has no matching upload in the queue. An upload that is not done matches if it has the same
    /// path and target. A done upload matches only if it also sent the same version of the file.
    case addMissing([NewUpload])
    /// Adds each file that has no matching upload in the queue. A matching upload has the same path, the same target
    /// and the same version of the file. Its state does not matter.
    case addNew([NewUpload])
    /// Returns the uploads in the queue that have the same path and target as one of these files. The version of the
    /// file and the state of the upload do not matter.
    case find([NewUpload])
    case list
    case pause(UploadSelection)
    case resume(UploadSelection)
    case retry(UploadSelection)
    case remove(UploadSelection)
    case move(UploadSelection, QueueMove)
    /// Returns the current bandwidth limits.
    case limits
    /// Sets the bandwidth limit of a scope: of all uploads, of a destination or of a batch. This limit overrides the
    /// limits in the configuration, even those for a time of day. Nil restores the configured limits.
    case limitBandwidth(Bandwidth?, LimitScope)
    /// Sets the number of uploads that run at once, from 1 to 256.
    case limitConcurrency(Int)
    /// Undoes the last command that changed the queue, whichever client sent it. Such commands are additions, pauses,
    /// resumes, removals, moves and changes of limits. Up to 50 commands can be undone, the newest first, but none from
    /// before the last start of the queue.
    ///
    /// A retry cannot be undone, and neither can an addition whose uploads are all done. The first `undo` after such a
    /// command is refused. The next `undo` undoes the command before it.
    ///
    /// The bytes of a removed upload stay on the server for 10 seconds. Within this time, `undo` lets the upload
    /// resume. Later, the file is sent again from its beginning. But the bytes stay longer if the server possibly has
    /// the whole file.
    case undo
    /// Returns what `undo` would do now, and changes nothing.
    case nextUndo
    /// Undoes the command with this number (`UndoOffer.number`), which `nextUndo` returned. Refused if `undo` would now
    /// undo a different command, or if there is nothing to undo.
    case undoCommand(Int)
    /// Redoes the command that `undo` undid last. Refused if there is no such command, or if another command has
    /// changed the queue since then.
    case redo
    /// Returns what `redo` would do now, and changes nothing.
    case nextRedo
    /// Redoes the command with this number (`UndoOffer.number`), which `nextRedo` returned. Refused if `redo` would now
    /// redo a different command, or if there is nothing to redo.
    case redoCommand(Int)
    /// Ends every wait for a retry and every wait for the network now. The uploads can then start, even if the
    /// operating system reports that there is no network.
    case tryNow
    /// Starts no more uploads. As soon as no upload runs, the engine (the process that owns the queue) ends.
    case stopWhenIdle
    /// Writes the whole queue to a new snapshot file on disk. Before this, the latest changes are only in the journal,
    /// the file to which each change is appended.
    case flush
}

/// The uploads to which a command applies.
public enum UploadSelection: Hashable, Codable, Sendable {
    case ids([Upload.ID])
    /// The uploads whose numbers are in these ranges. A range without any upload is an error.
    case numbers(UploadNumbers)
    case all
    /// All uploads that failed, and those that are held because a user must decide how to continue.
    case failed
    /// All done uploads.
    case done
    /// The uploads of the batch (the named group) with this name. The name of an unknown batch is an error.
    case batch(String)

    /// True if the selection lists the id of each upload. If the path of a file then contains a new symbolic link, the
    /// whole `retry` fails. For any other selection, `retry` leaves out that upload.
    var isEach: Bool {
        if case .ids = self { true } else { false }
    }

    /// True if the user named the uploads or their batch; false for all uploads, and for a selection by state. A retry
    /// starts only named uploads before their start condition is met.
    var isChosen: Bool {
        switch self {
        case .ids, .numbers, .batch: true
        case .all, .failed, .done: false
        }
    }
}

/// The kind of a change that a command, `undo` or `redo` makes.
public enum QueueChangeKind: Hashable, Codable, Sendable {
    case paused, resumed, removed, putBack, moved
    /// `undo` removed the uploads that a command had added, except those that were already done. `done` is the number
    /// of these done uploads, which stay.
    case unadded(done: Int)
    /// A limit was changed. The value is the new limit.
    case limited(LimitSetting)
    /// The last command was a retry. Because a retry cannot be undone, `undo` is refused and changes nothing.
    case retried
}

/// The change that `undo` or `redo` would make.
public struct UndoOffer: Hashable, Codable, Sendable {
    /// The number of the command that would be undone or redone. Clients pass this number to `undoCommand` or
    /// `redoCommand`.
    public var number: Int
    /// The kind of the change that `undo` or `redo` would make.
    public var change: QueueChangeKind
    /// The uploads that `undo` or `redo` would change.
    public var ids: [Upload.ID]
    /// The time when the command that would be undone or redone was carried out.
    public var date: Date

    public init(number: Int, change: QueueChangeKind, ids: [Upload.ID], date: Date) {
        self.number = number
        self.change = change
        self.ids = ids
        self.date = date
    }
}

/// A limit that users can set.
public enum LimitSetting: Hashable, Codable, Sendable {
    /// A bandwidth limit: of all uploads together, of a destination or of a batch.
    case bandwidth(BandwidthLimit)
    /// The number of uploads that can run at once.
    case concurrency(Int)
}

/// The direction of a move in the queue.
public enum QueueMove: String, CaseIterable, Hashable, Codable, Sendable {
    case up, down, top, bottom
}

/// The result of a command.
public enum QueueReply: Hashable, Codable, Sendable {
    /// The uploads that the command changed, added or removed. Empty if it changed none.
    case changed([Upload.ID])
    /// The uploads that the command added. At least one of them is paused, because a user had paused its batch.
    case addedPaused([Upload.ID])
    case uploads([Upload])
    /// The current bandwidth limits: first that of all uploads together, then those of destinations, then those of
    /// batches.
    case limits([BandwidthLimit])
    /// The change that `undo` or `redo` made, and the uploads that it changed.
    case reversed(QueueChangeKind, [Upload.ID])
    /// The change that `undo` or `redo` would make.
    case undoable(UndoOffer)
    /// The command failed for this reason and changed nothing.
    case refused(UploadFailure)

    var changed: [Upload.ID]? {
        switch self {
        case .changed(let ids), .addedPaused(let ids): ids
        case .uploads, .limits, .reversed, .undoable, .refused: nil
        }
    }
}

/// A change of the queue. It contains the new state of each changed upload, so it does no harm if a client applies it
/// twice.
public struct QueueUpdate: Sendable {
    /// True if `changed` contains all uploads of the queue. The client must then forget all uploads from earlier
    /// updates.
    public var isComplete: Bool
    /// The changed and the new uploads, in their current state.
    public var changed: [Upload]
    /// The ids of the uploads that left the queue, because a user removed them or because they moved to the history. An
    /// id is used again only if `undo` or `redo` puts its upload back.
    public var removed: [Upload.ID]
    /// The current status of the engine, the process that owns the queue. Each update contains it, even if it has not
    /// changed.
    public var status: EngineStatus

    public init(isComplete: Bool, changed: [Upload], removed: [Upload.ID], status: EngineStatus) {
        self.isComplete = isComplete
        self.changed = changed
        self.removed = removed
        self.status = status
    }
}

/// The status of the engine, the process that owns the queue.
public struct EngineStatus: Hashable, Codable, Sendable {
    /// The state of the network, as the operating system last reported it. Before its first report, the value is
    /// `online`.
    public enum Network: Hashable, Codable, Sendable {
        case online
        /// There has been no usable network since this time. `reason` is a text for users, such as `no address on any
        /// interface`.
        case offline(since: Date, reason: String)
    }

    /// The ability of the disk to store changes of the queue.
    public enum Storage: String, Hashable, Codable, Sendable {
        /// All changes are on disk, and the last snapshot (a file with the whole queue) was written.
        case saved
        /// All changes are on disk, in the journal to which each change is appended. But the last snapshot of the whole
        /// queue could not be written, so the journal grows.
        case snapshotOverdue = "behind"
        /// The disk refuses changes of the queue. So commands that change the queue fail, and no upload starts. Running
        /// uploads can still finish.
        case refusing
    }

    /// The contact of a client with the engine, the process that owns the queue. A client in this process always has
    /// the value `here`.
    public enum Contact: Hashable, Codable, Sendable {
        /// The engine responds to the client.
        case here
        /// The engine process still runs, but has not responded to this client since about this time. The process is
        /// suspended or stuck.
        case silent(since: Date)
        /// The client has had no connection to an engine since this time. The engine ended or was killed, so the rest
        /// of the status is possibly old. Every change that the engine confirmed is on disk.
        case lost(since: Date)
        /// The engine runs, but refuses to send updates to this client. The value is the reason, for example that too
        /// many clients follow the queue.
        case refused(UploadFailure)
    }

    /// Whether there is a network.
    public var network: Network
    /// The current bandwidth limits: of all uploads together, of destinations and of batches. A destination or batch
    /// without a limit is left out. But it is included as unlimited if a timetable will limit it, or if a command
    /// removed its limit.
    public var limits: [BandwidthLimit]
    /// The number of slots. A running upload takes a slot, but several small uploads can share one.
    public var concurrency: Int
    /// The ability of the disk to store changes of the queue. If it is not `saved`, `notice` contains the reason.
    public var storage: Storage
    /// The current problem that users should know, such as a full disk; nil if there is none.
    public var notice: UploadFailure?
    /// The pauses that busy servers asked for. A pause is included only if at least one upload waits for its end. The
    /// pause that ends last comes first.
    public var retryAfterPauses: [RetryAfterPause]
    /// The hosts that cannot be reached now and for which at least one upload waits. The host with the most waiting
    /// uploads comes first.
    public var unreachableHosts: [UnreachableHost]
    /// The paths of the watched folders that are missing, as texts to show to users.
    public var awayFolders: [String]
    /// The latest notices about things other than the queue, such as watched folders. There are at most 10, and the
    /// oldest comes first.
    public var notices: [DatedNotice]
    /// Whether the client reaches the engine, the process that owns the queue. If it does not, this status is possibly
    /// out of date.
    public var contact: Contact

    public init(
        network: Network = .online, limits: [BandwidthLimit] = [], concurrency: Int = 4,
        storage: Storage = .saved, notice: UploadFailure? = nil, retryAfterPauses: [RetryAfterPause] = [],
        unreachableHosts: [UnreachableHost] = [], awayFolders: [String] = [], notices: [DatedNotice] = [],
        contact: Contact = .here
    ) {
        self.network = network
        self.limits = limits
        self.concurrency = concurrency
        self.storage = storage
        self.notice = notice
        self.retryAfterPauses = retryAfterPauses
        self.unreachableHosts = unreachableHosts
        self.awayFolders = awayFolders
        self.notices = notices
        self.contact = contact
    }

    /// The limit of all uploads together.
    public var totalLimit: BandwidthLimit { limits[.total] }
}

/// The progress of one running upload at one moment. It is not written to disk.
public struct ProgressSample: Hashable, Codable, Sendable {
    /// The phase of a running attempt at an upload.
    public enum Phase: String, Hashable, Codable, Sendable {
        case connecting
        /// The attempt reads the file to compute a digest, before it sends the bytes of the file.
        case reading
        case sending
        /// The last byte of the file is sent, and the response has not arrived yet.
        case waitingForServer

        /// True if the attempt is sending bytes of the file, or has sent them all and waits for the response.
        public var hasBegun: Bool {
            switch self {
            case .connecting, .reading: false
            case .sending, .waitingForServer: true
            }
        }
    }

    /// The number of the running upload.
    public var id: Upload.ID
    /// The number of bytes of the file that the server has confirmed or that were passed to the socket. When the
    /// attempt ends, bytes that were sent twice count twice, so this number can exceed the size of the file.
    public var sent: ByteCount
    /// The number of bytes that the server has confirmed.
    public var confirmed: ByteCount
    /// The phase of the attempt when this sample was taken.
    public var phase: Phase
    /// The current rate in bytes per second; nil while there is no measurement.
    public var rate: Double?
    /// The estimated number of seconds until the whole file is sent; nil while unknown. It is computed from the
    /// measured rate and the bandwidth limits.
    public var remaining: Double?

    public init(
        id: Upload.ID, sent: ByteCount, confirmed: ByteCount, phase: Phase, rate: Double? = nil,
        remaining: Double? = nil
    ) {
        self.rate = rate
        self.remaining = remaining
        self.id = id
        self.sent = sent
        self.confirmed = confirmed
        self.phase = phase
    }
}
