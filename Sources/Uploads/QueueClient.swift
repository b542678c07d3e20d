public import FerryFiles
public import FerryProtocols

/// The one seam between the queue and whoever steers it: the screen, the subcommands, a second process.
///
/// Everything that crosses it is a Codable value, so it works in one process and over the control socket alike.
public protocol QueueClient: Sendable {
    /// Carries out one command. When this returns without a failure the change is on disk.
    func perform(_ command: QueueCommand) async -> QueueReply

    /// Returns the changes, in order. The first element describes the whole queue (`isComplete`), as it was at this
    /// moment. A slow reader is never waited for: changes to one upload merge, so each listener holds at most one
    /// record per upload.
    func updates() async -> AsyncStream<QueueUpdate>

    /// Returns the progress of the running uploads at this moment. Cheap; meant to be asked several times a second.
    func progress() -> [ProgressSample]
}

/// A command of a person for the queue.
public enum QueueCommand: Hashable, Codable, Sendable {
    case add([NewUpload])
    /// Adds the files that the queue has not got: neither unfinished in any version of the file, nor done in this one.
    case addMissing([NewUpload])
    /// Adds the files that the queue has not got in this version of the file, whether unfinished or done. An unfinished
    /// upload of another version keeps no file out.
    case addNew([NewUpload])
    /// The uploads of the same files to the same targets, in whatever version and state.
    case find([NewUpload])
    case list
    case pause(UploadSelection)
    case resume(UploadSelection)
    case retry(UploadSelection)
    case remove(UploadSelection)
    case move(UploadSelection, QueueMove)
    /// Asks for the limits of bandwidth that hold.
    case limits
    /// Holds from now on, whatever a timetable says; nil brings back what the configuration says.
    case limitBandwidth(Bandwidth?, LimitScope)
    /// Uploads running at once, at least 1.
    case limitConcurrency(Int)
    /// Takes back the last addition, pause, resume, removal, move or limit that was ordered since the engine started, by
    /// whomever; up to 50, one after the other. What a server holds of a removed upload is kept for 10 seconds: put back
    /// later, it is sent again from its beginning.
    case undo
    /// Asks what `undo` would do now, and changes nothing.
    case nextUndo
    /// The same as `undo`, if it would still take back the command with this number (`UndoOffer.number`).
    case undoCommand(Int)
    /// Does again what `undo` took back last, unless something else was ordered since.
    case redo
    /// Ends every wait for the network or a retry now, whatever the monitor thinks.
    case tryNow
    /// Ends the engine once nothing is running.
    case stopWhenIdle
    /// Brings the snapshot up to date, so that it alone is the queue.
    case flush
}

/// The uploads that a command is for.
public enum UploadSelection: Hashable, Codable, Sendable {
    case ids([Upload.ID])
    /// The uploads within ranges. A range without any is a mistake.
    case numbers(UploadNumbers)
    case all
    /// All uploads that failed or are held.
    case failed
    /// All that are done.
    case done
    /// The uploads that were added to the batch of this name. An unknown batch is a mistake.
    case batch(String)

    /// True if the uploads were named one by one.
    var isEach: Bool {
        if case .ids = self { true } else { false }
    }

    /// True if somebody meant just these, and not whatever there is of a kind.
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
    /// Uploads that were added were removed again; `done` more of them were finished before, and stay.
    case unadded(done: Int)
    /// Another limit holds now.
    case limited(LimitSetting)
}

/// The change that `undo` would make.
public struct UndoOffer: Hashable, Codable, Sendable {
    /// The number of the command that would be taken back, for `undoCommand`.
    public var number: Int
    /// The change.
    public var change: QueueChangeKind
    /// The uploads that it would change.
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

/// A limit that people can set.
public enum LimitSetting: Hashable, Codable, Sendable {
    /// The limit of all uploads together, a destination or a batch.
    case bandwidth(BandwidthLimit)
    /// Uploads that may run at once.
    case concurrency(Int)
}

/// The direction of a move in the queue.
public enum QueueMove: String, CaseIterable, Hashable, Codable, Sendable {
    case up, down, top, bottom
}

/// The result of a command.
public enum QueueReply: Hashable, Codable, Sendable {
    /// The uploads the command changed.
    case changed([Upload.ID])
    /// The uploads that were added, of which some are paused, as their batch is.
    case addedPaused([Upload.ID])
    case uploads([Upload])
    /// The limits as in `EngineStatus.limits`.
    case limits([BandwidthLimit])
    /// The change that `undo` or `redo` made, and its uploads.
    case reversed(QueueChangeKind, [Upload.ID])
    /// The change that `undo` would make.
    case undoable(UndoOffer)
    /// The command changed nothing.
    case refused(UploadFailure)

    /// The uploads that a command changed; nil for other replies.
    var changed: [Upload.ID]? {
        switch self {
        case .changed(let ids), .addedPaused(let ids): ids
        case .uploads, .limits, .reversed, .undoable, .refused: nil
        }
    }
}

/// A change of the queue, absolute: applying it twice changes nothing.
public struct QueueUpdate: Sendable {
    /// True if `changed` is the whole queue and everything known before is to be dropped.
    public var isComplete: Bool
    /// The changed uploads as they are now, new ones among them.
    public var changed: [Upload]
    /// Ids that are given to no other upload.
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
    /// Whether uploads that need the network may run.
    public enum Network: Hashable, Codable, Sendable {
        case online
        /// No network, or a network that leads nowhere; `reason` is a sentence part ("no address on any interface").
        case offline(since: Date, reason: String)
    }

    /// Whether what people ask for and what uploads come to is on disk.
    public enum Storage: String, Hashable, Codable, Sendable {
        /// All of it is.
        case saved
        /// All of it is, but not as a snapshot: the journal grows.
        case behind
        /// Changes are refused and nothing new starts; what runs may finish.
        case refusing
    }

    /// Whether the engine that told this is there. Only a client in another process finds out that it is not.
    public enum Contact: Hashable, Codable, Sendable {
        case here
        /// The engine is there and has not answered since: it is stopped or stuck.
        case silent(since: Date)
        /// The engine ended or was killed; what it told last may be old. What it acknowledged is on disk.
        case lost(since: Date)
        /// The engine is there and lets no more clients follow it, for this reason.
        case refused(UploadFailure)
    }

    /// The network as the queue takes it to be.
    public var network: Network
    /// The limits of bandwidth, in the order of their scopes: those that hold now, and where something else than none
    /// may hold.
    public var limits: [BandwidthLimit]
    /// Uploads that may run at once.
    public var concurrency: Int
    /// The state of the disk that `notice` is about, if it is not `saved`.
    public var storage: Storage
    /// A notice about the whole queue that a person should know, such as a full disk.
    public var notice: UploadFailure?
    /// Servers that asked to be left alone and that uploads wait for, the one that lasts longest first.
    public var retryAfterPauses: [RetryAfterPause]
    /// The hosts that do not answer and that uploads wait for, the most awaited first.
    public var unreachableHosts: [UnreachableHost]
    /// The watched folders that are not there, as they are shown to people.
    public var awayFolders: [String]
    /// The newest of what happened beside the queue, in order.
    public var notices: [DatedNotice]
    /// Whether any of this is still so.
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
    /// The work of a running upload.
    public enum Phase: String, Hashable, Codable, Sendable {
        case connecting
        /// The file is read for a digest before its bytes are sent.
        case reading
        case sending
        /// The last byte is out and the answer is not in.
        case waitingForServer

        /// True once bytes of the file are on their way.
        public var hasBegun: Bool {
            switch self {
            case .connecting, .reading: false
            case .sending, .waitingForServer: true
            }
        }
    }

    /// The number of the running upload.
    public var id: Upload.ID
    /// Bytes of the file handed to the socket, counted from the start of the file; never more than its size.
    public var sent: ByteCount
    /// Bytes the server said it holds.
    public var confirmed: ByteCount
    /// The phase at the moment of the sample.
    public var phase: Phase
    /// Bytes per second now; nil before there is a measurement, and from engines that tell none.
    public var rate: Double?
    /// Seconds until all of it is sent, by its rate and the limits that apply to it; nil while nobody can tell.
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
