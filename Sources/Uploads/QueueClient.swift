public import FerryFiles
public import FerryProtocols

/// The interface of the queue to its clients: the screen, the subcommands, a second process.
///
/// All parameters and results can be encoded, so clients in other processes use it over the control socket.
public protocol QueueClient: Sendable {
    /// Carries out one command. If the reply is not `refused`, the command's change is on disk. The exceptions are
    /// `tryNow` and `stopWhenIdle`, whose changes are only in memory.
    func perform(_ command: QueueCommand) async -> QueueReply

    /// Returns a stream of the queue's changes, in sequence. The first element describes the whole current queue
    /// (`isComplete`). The queue never waits for a slow reader. Changes of one upload that the reader has not read are
    /// merged, so at most one change per upload is pending.
    func updates() async -> AsyncStream<QueueUpdate>

    /// Returns the current progress of the running uploads. Cheap enough to call several times a second.
    func progress() -> [ProgressSample]
}

/// A command of a user for the queue.
public enum QueueCommand: Hashable, Codable, Sendable {
    case add([NewUpload])
    /// Adds each file, unless the queue has an upload of it to the same target: an unfinished upload of any version of
    /// the file, or a done upload of the same version.
    case addMissing([NewUpload])
    /// Adds each file for which the queue has no upload of the same version to the same target, in any state.
    case addNew([NewUpload])
    /// Returns the queue's uploads of the same files to the same targets, in any version and state.
    case find([NewUpload])
    case list
    case pause(UploadSelection)
    case resume(UploadSelection)
    case retry(UploadSelection)
    case remove(UploadSelection)
    case move(UploadSelection, QueueMove)
    /// Returns the current bandwidth limits.
    case limits
    /// Sets a limit that overrides timetables; nil restores the configured limit.
    case limitBandwidth(Bandwidth?, LimitScope)
    /// Sets the number of uploads that run at once, from 1 to 256.
    case limitConcurrency(Int)
    /// Undoes the last addition, pause, resume, removal, move or change of a limit since the engine started, whichever
    /// client requested it. Up to 50 commands can be undone, one after the other. A retry cannot be undone: the first
    /// `undo` after it is refused for this reason, and the next one undoes the command before the retry.
    ///
    /// The bytes of a removed upload stay on the server for 10 seconds. If undo puts the upload back after that time,
    /// the file is sent again from its beginning, unless the server possibly has the whole file already.
    case undo
    /// Returns what `undo` would do now, and changes nothing.
    case nextUndo
    /// Undoes the command with this number (`UndoOffer.number`). Refused if `undo` would now undo another command or
    /// none.
    case undoCommand(Int)
    /// Redoes the command that `undo` undid last; refused if another command has changed something since.
    case redo
    /// Returns what `redo` would do now, and changes nothing.
    case nextRedo
    /// Redoes the command with this number (`UndoOffer.number`). Refused if `redo` would now redo another command or
    /// none.
    case redoCommand(Int)
    /// Ends every wait for the network or for a retry now, even if the link monitor reports no network.
    case tryNow
    /// Starts no more uploads, and ends the engine once none runs.
    case stopWhenIdle
    /// Writes a new snapshot of the queue, so that the snapshot alone contains the whole queue.
    case flush
}

/// The uploads to which a command applies.
public enum UploadSelection: Hashable, Codable, Sendable {
    case ids([Upload.ID])
    /// The uploads within ranges. A range without any upload is an error.
    case numbers(UploadNumbers)
    case all
    /// All uploads that failed or are held.
    case failed
    /// All done uploads.
    case done
    /// The uploads that were added to the batch of this name. An unknown batch is an error.
    case batch(String)

    /// True if the uploads were named one by one.
    var isEach: Bool {
        if case .ids = self { true } else { false }
    }

    /// True if the user named the uploads or their batch; false for all uploads, and for a selection by state.
    var isChosen: Bool {
        switch self {
        case .ids, .numbers, .batch: true
        case .all, .failed, .done: false
        }
    }
}

/// The change that a command made.
public enum QueueChangeKind: Hashable, Codable, Sendable {
    case paused, resumed, removed, putBack, moved
    /// Undo removed the added uploads that are not done. `done` is the number of done ones, which stay.
    case unadded(done: Int)
    /// A limit was changed. The value is the new limit.
    case limited(LimitSetting)
    /// The command to undo is a retry, so `undo` changes nothing.
    case retried
}

/// The change that `undo` or `redo` would make.
public struct UndoOffer: Hashable, Codable, Sendable {
    /// The number of the command that would be undone or redone, for `undoCommand` or `redoCommand`.
    public var number: Int
    /// The change that would be made.
    public var change: QueueChangeKind
    /// The uploads that would be changed.
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
    /// The uploads that the command changed or added.
    case changed([Upload.ID])
    /// The uploads that the command added. Some of them are paused because their batch is paused.
    case addedPaused([Upload.ID])
    case uploads([Upload])
    /// The current bandwidth limits, sorted by scope.
    case limits([BandwidthLimit])
    /// The change that `undo` or `redo` made, and its uploads.
    case reversed(QueueChangeKind, [Upload.ID])
    /// The change that `undo` or `redo` would make.
    case undoable(UndoOffer)
    /// The command failed for this reason and changed nothing.
    case refused(UploadFailure)

    /// The uploads that a command changed or added; nil for other replies.
    var changed: [Upload.ID]? {
        switch self {
        case .changed(let ids), .addedPaused(let ids): ids
        case .uploads, .limits, .reversed, .undoable, .refused: nil
        }
    }
}

/// A change of the queue. It contains new values, not differences, so applying it twice is harmless.
public struct QueueUpdate: Sendable {
    /// True if `changed` is the whole queue, which replaces everything known before.
    public var isComplete: Bool
    /// The changed and the new uploads, in their current state.
    public var changed: [Upload]
    /// The ids of removed uploads. An id is used again only if undo or redo puts the upload back.
    public var removed: [Upload.ID]
    /// The current status, whether it changed or not.
    public var status: EngineStatus

    public init(isComplete: Bool, changed: [Upload], removed: [Upload.ID], status: EngineStatus) {
        self.isComplete = isComplete
        self.changed = changed
        self.removed = removed
        self.status = status
    }
}

/// The status of the engine as a whole.
public struct EngineStatus: Hashable, Codable, Sendable {
    /// Whether there is a network, as the link monitor reports it. Before its first report, the value is `online`.
    public enum Network: Hashable, Codable, Sendable {
        case online
        /// There is no usable network. `reason` is a part of a sentence: "no address on any interface".
        case offline(since: Date, reason: String)
    }

    /// Whether the commands of users and the results of uploads are on disk.
    public enum Storage: String, Hashable, Codable, Sendable {
        /// Everything is on disk.
        case saved
        /// Everything is on disk, but the last snapshot could not be written, so the journal grows.
        case behind
        /// Changes are refused, and no upload starts. Running uploads can still finish.
        case refusing
    }

    /// Whether the client can reach the engine. Only a client in another process can lose the engine.
    public enum Contact: Hashable, Codable, Sendable {
        case here
        /// The engine runs, but has not responded since this time: it is suspended or stuck.
        case silent(since: Date)
        /// The engine ended or was killed, so its last status is possibly old. Everything it acknowledged is on disk.
        case lost(since: Date)
        /// The engine runs, but accepts no more clients that follow its updates. The value is the reason.
        case refused(UploadFailure)
    }

    /// Whether there is a network.
    public var network: Network
    /// The current limits of the scopes that have a limit now or get one later from a timetable, or that a command made
    /// unlimited. Sorted by scope.
    public var limits: [BandwidthLimit]
    /// The number of slots for running uploads. Small uploads can share a slot.
    public var concurrency: Int
    /// Whether changes are on disk. If the value is not `saved`, `notice` gives the reason.
    public var storage: Storage
    /// The current problem that users should know, such as a full disk; nil if there is none.
    public var notice: UploadFailure?
    /// The busy servers that asked for a pause, if uploads wait for them. The pause that ends last is the first.
    public var retryAfterPauses: [RetryAfterPause]
    /// The unreachable hosts for which uploads wait. The host with the most uploads is the first.
    public var unreachableHosts: [UnreachableHost]
    /// The paths of the watched folders that are missing, for display.
    public var awayFolders: [String]
    /// The latest notices from outside the queue, such as those about watched folders, the oldest first.
    public var notices: [DatedNotice]
    /// Whether the engine is reachable. If it is not, this status is possibly out of date.
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

/// The progress of one running upload. Sampled, never stored.
public struct ProgressSample: Hashable, Codable, Sendable {
    /// The phase of a running attempt.
    public enum Phase: String, Hashable, Codable, Sendable {
        case connecting
        /// The file is read for a digest before its bytes are sent.
        case reading
        case sending
        /// The last byte is sent and the response has not arrived.
        case waitingForServer

        /// True once bytes of the file are being sent.
        public var hasBegun: Bool {
            switch self {
            case .connecting, .reading: false
            case .sending, .waitingForServer: true
            }
        }
    }

    /// The number of the running upload.
    public var id: Upload.ID
    /// The number of bytes of the file that are confirmed or were passed to the socket. When the attempt ends, bytes
    /// that it sent twice count twice, so the number can exceed the size of the file.
    public var sent: ByteCount
    /// The number of bytes that the server has confirmed.
    public var confirmed: ByteCount
    /// The phase at the moment of the sample.
    public var phase: Phase
    /// The current rate in bytes per second; nil while there is no measurement.
    public var rate: Double?
    /// The number of seconds until the whole file is sent, from the measured rate and the limits; nil while unknown.
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
