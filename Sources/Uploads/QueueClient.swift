public import FerryProtocols

/// The interface through which clients use the upload queue. Clients in other processes use it over a Unix socket (the
/// control socket), so all parameters and results can be encoded.
public protocol QueueClient: Sendable {
    /// Carries out one command. A reply of success comes when its change is on disk, except for `tryNow` and
    /// `stopWhenIdle`, which change only memory.
    func perform(_ command: QueueCommand) async -> QueueReply

    /// Returns a stream of the queue's changes, beginning with the whole queue (`isComplete`). The queue does not wait
    /// for a slow reader, which gets only the newest state of an upload. A change of more than 10,000 uploads arrives in
    /// several updates (`isContinued`).
    func updates() async -> AsyncStream<QueueUpdate>

    /// Returns the progress of the running uploads, fast enough to call it several times a second.
    func progress() -> [ProgressSample]
}

/// A command of a user for the queue.
public enum QueueCommand: Hashable, Codable, Sendable {
    case add([NewUpload])
    /// Adds each file without a matching upload, which has the same path and target, and is not done or sent the same
    /// version of the file.
    case addMissing([NewUpload])
    /// Adds each file without an upload of the same path, target and version, in whatever state.
    case addNew([NewUpload])
    /// Returns the uploads that have the same path and target as one of these files.
    case find([NewUpload])
    case list
    case pause(UploadSelection)
    case resume(UploadSelection)
    case retry(UploadSelection)
    case remove(UploadSelection)
    case move(UploadSelection, QueueMove)
    /// Returns the current bandwidth limits.
    case limits
    /// Sets the bandwidth limit of a scope, which overrides the configured limits; nil restores those.
    case limitBandwidth(Bandwidth?, LimitScope)
    /// Sets the number of uploads that run at once, from 1 to 1000.
    case limitConcurrency(Int)
    /// Undoes the last command that added, paused, resumed, removed or moved uploads or changed a limit, whichever
    /// client sent it. Up to 50 commands since the last start of the queue can be undone, the newest first.
    ///
    /// For a retry, or an addition whose uploads are all done, the first `undo` is refused, and the next one undoes the
    /// command before.
    ///
    /// The bytes of a removed upload stay on the server for 10 seconds, in which `undo` lets it resume. Later, the file
    /// is sent from its beginning, unless the server possibly has the whole file.
    case undo
    /// Returns what `undo` would do now, and changes nothing.
    case nextUndo
    /// Undoes the command with this number, which `nextUndo` returned. Refused if `undo` would now undo another.
    case undoCommand(Int)
    /// Redoes the command that `undo` undid last. Refused if another command has changed the queue since then.
    case redo
    /// Returns what `redo` would do now, and changes nothing.
    case nextRedo
    /// Redoes the command with this number, which `nextRedo` returned. Refused if `redo` would now redo another.
    case redoCommand(Int)
    /// Ends every wait for a retry or the network now, even if the system reports no network.
    case tryNow
    /// Starts no more uploads, and ends the engine as soon as none runs.
    case stopWhenIdle
    /// Writes the whole queue to a new snapshot file on disk, whose latest changes were only in the journal.
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
    /// The uploads of a batch. The name of an unknown batch is an error.
    case batch(String)

    /// True if the selection lists each upload. If a path has a new symbolic link, `retry` then fails as a whole.
    var isEach: Bool {
        if case .ids = self { true } else { false }
    }

    /// True if the user named the uploads or their batch. A retry starts only these before their start condition is
    /// met.
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
    /// `undo` removed the uploads that a command had added, without the `done` ones, which stay.
    case unadded(done: Int)
    /// A limit was changed. The value is the new limit.
    case limited(LimitSetting)
    /// The last command was a retry, which cannot be undone, so `undo` changes nothing.
    case retried
}

/// The change that `undo` or `redo` would make.
public struct UndoOffer: Hashable, Codable, Sendable {
    /// The number of the command, for `undoCommand` or `redoCommand`.
    public var number: Int
    /// The kind of the change that `undo` or `redo` would make.
    public var change: QueueChangeKind
    /// The uploads that `undo` or `redo` would change.
    public var ids: [Upload.ID]
    /// The time when the command was carried out.
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
    /// The current bandwidth limits: of all uploads together, of destinations, and of batches.
    case limits([BandwidthLimit])
    /// The change that `undo` or `redo` made, and the uploads that it changed.
    case reversed(QueueChangeKind, [Upload.ID])
    /// The change that `undo` or `redo` would make.
    case undoable(UndoOffer)
    /// The command failed for this reason and changed nothing.
    case refused(UploadFailure)

    /// The ids of the uploads that the reply is about. A reply about something else has none, and stays as it is.
    package var ids: [Upload.ID] {
        get {
            switch self {
            case .changed(let ids), .addedPaused(let ids), .reversed(_, let ids): ids
            case .undoable(let offer): offer.ids
            case .uploads, .limits, .refused: []
            }
        }
        set {
            switch self {
            case .changed: self = .changed(newValue)
            case .addedPaused: self = .addedPaused(newValue)
            case .reversed(let kind, _): self = .reversed(kind, newValue)
            case .undoable(var offer):
                offer.ids = newValue
                self = .undoable(offer)
            case .uploads, .limits, .refused: break
            }
        }
    }

    var changed: [Upload.ID]? {
        switch self {
        case .changed(let ids), .addedPaused(let ids): ids
        case .uploads, .limits, .reversed, .undoable, .refused: nil
        }
    }
}

/// A change of the queue, with the new state of each changed upload. Applying it twice does no harm.
public struct QueueUpdate: Sendable {
    /// True if `changed` is the whole queue, and the client must forget all other uploads.
    public var isComplete: Bool
    /// The changed and the new uploads, in their current state.
    public var changed: [Upload]
    /// The ids of the uploads that a user removed or that moved to the history. `undo` or `redo` can put one back.
    public var removed: [Upload.ID]
    /// The current status of the engine, even if it has not changed.
    public var status: EngineStatus
    /// True if this update is a part of a change of many uploads, and the next update has more of it.
    public var isContinued: Bool

    public init(
        isComplete: Bool, changed: [Upload], removed: [Upload.ID], status: EngineStatus,
        isContinued: Bool = false
    ) {
        self.isContinued = isContinued
        self.isComplete = isComplete
        self.changed = changed
        self.removed = removed
        self.status = status
    }
}

/// The status of the engine, the process that owns the queue.
public struct EngineStatus: Hashable, Codable, Sendable {
    /// The state of the network as the system last reported it, or `online` before the first report.
    public enum Network: Hashable, Codable, Sendable {
        case online
        /// There has been no usable network since this time, for a `reason` such as `no address on any interface`.
        case offline(since: Date, reason: String)
    }

    /// The ability of the disk to store changes of the queue.
    public enum Storage: String, Hashable, Codable, Sendable {
        /// All changes are on disk, and the last snapshot (a file with the whole queue) was written.
        case saved
        /// All changes are on disk, but the last snapshot could not be written, so the journal grows.
        case snapshotOverdue = "behind"
        /// The disk refuses changes of the queue, so commands fail and no upload starts. Running uploads can finish.
        case refusing
    }

    /// The contact of a client with the engine. It is always `here` in the engine's own process.
    public enum Contact: Hashable, Codable, Sendable {
        /// The engine responds to the client.
        case here
        /// The engine process is suspended or stuck: it has not responded since about this time.
        case silent(since: Date)
        /// The engine ended or was killed at this time, so the rest of the status is possibly old. Every change that it
        /// confirmed is on disk.
        case lost(since: Date)
        /// The engine refuses to send updates to this client, for example because too many follow the queue.
        case refused(UploadFailure)
    }

    /// True if there is a network.
    public var network: Network
    /// The current bandwidth limits. An unlimited scope is included if a timetable will limit it, or if a command
    /// removed its limit.
    public var limits: [BandwidthLimit]
    /// The number of slots. A running upload takes a slot, but several small uploads can share one.
    public var concurrency: Int
    /// The ability of the disk to store changes of the queue. If it is not `saved`, `notice` contains the reason.
    public var storage: Storage
    /// The current problem that users should know, such as a full disk; nil if there is none.
    public var notice: UploadFailure?
    /// The pauses of busy servers for which an upload waits, the one that ends last first.
    public var retryAfterPauses: [RetryAfterPause]
    /// The unreachable hosts for which an upload waits, the one with the most uploads first.
    public var unreachableHosts: [UnreachableHost]
    /// The paths of the watched folders that are missing, as texts to show to users.
    public var awayFolders: [String]
    /// The latest notices about other things than the queue, at most 10, the oldest first.
    public var notices: [DatedNotice]
    /// True if the client reaches the engine. If not, this status is possibly out of date.
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

/// A pause that a busy server asked for, with status 429 or 503 and `Retry-After`.
public struct RetryAfterPause: Hashable, Codable, Sendable {
    /// The name of the busy server's host, without the port.
    public var host: String
    /// The HTTP status of the response that asked for the pause: 429 or 503.
    public var status: Int
    /// The wall-clock time when uploads to the server resume.
    public var until: Date
    /// The number of uploads that wait for the server, some of them also for something else, such as a slot.
    public var waiting: Int

    public init(host: String, status: Int, until: Date, waiting: Int) {
        self.host = host
        self.status = status
        self.until = until
        self.waiting = waiting
    }
}

/// A host that cannot be reached now. Uploads to it wait while the queue tests it at intervals.
public struct UnreachableHost: Hashable, Codable, Sendable {
    /// The name of the unreachable host, without the port.
    public var host: String
    /// The error, as a text that completes a sentence about the host, such as `is not found`.
    public var reason: String
    /// The number of uploads that wait for the host, some of them also for something else, such as a slot.
    public var waiting: Int

    public init(host: String, reason: String, waiting: Int) {
        self.host = host
        self.reason = reason
        self.waiting = waiting
    }
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
    /// The number of bytes that the server has confirmed or that were sent (`UploadDelegate`). At the end of an attempt,
    /// bytes that were sent twice count twice, so this number can exceed the size of the file.
    public var sent: ByteCount
    /// The number of bytes that the server has confirmed.
    public var confirmed: ByteCount
    /// The phase of the attempt when this sample was taken.
    public var phase: Phase
    /// The current rate in bytes per second; nil while there is no measurement.
    public var rate: Double?
    /// The estimated number of seconds until the whole file is sent, from the rate and the limits; nil while unknown.
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
