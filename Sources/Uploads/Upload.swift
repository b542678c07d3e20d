public import FerryFiles
public import FerryProtocols
import FerryTransfer

/// One file on its way to one destination: the unit of the queue.
public struct Upload: Identifiable, Hashable, Sendable {
    /// A short number people can type. Never given twice in the life of a queue.
    public typealias ID = Int

    /// Counted from 1 and never given twice.
    public let id: ID
    /// The place in the queue: lower goes first. Unique; moving permutes ranks or extends them at the ends.
    public var rank: Int64
    /// Absolute.
    public var path: LocalPath
    /// The version of the file that was queued.
    public var identity: FileIdentity
    /// The target, fixed when it was queued.
    public var target: Target
    /// The state.
    public var state: State
    /// The resource that the server gave to resume with; nil before creation and for protocols that cannot resume.
    public var resource: UploadResource? {
        get { boxedResource.value }
        set { boxedResource = Boxed(newValue) }
    }
    /// The attempts so far.
    public var tries: Tries {
        get { rest.value?.tries ?? Tries() }
        set { setRest { $0.tries = newValue } }
    }
    /// The time by the wall clock when it was added.
    public var added: Date
    /// The name of the group it was added to; nil for none.
    public var batch: String? {
        get { rest.value?.batch }
        set { setRest { $0.batch = newValue } }
    }
    /// The condition for its first start; nil if it may start at once.
    public var start: StartCondition? {
        get { rest.value?.start }
        set { setRest { $0.start = newValue?.ifAny } }
    }

    private var boxedResource: Boxed<UploadResource>
    private var rest: Boxed<Rest>

    /// The members that few of the uploads in a long queue have.
    private struct Rest: Hashable, Sendable {
        var tries = Tries()
        var batch: String?
        var start: StartCondition?
    }

    public init(
        id: ID, rank: Int64, path: LocalPath, identity: FileIdentity, target: Target, state: State = .queued,
        resource: UploadResource? = nil, tries: Tries = Tries(), added: Date, batch: String? = nil,
        start: StartCondition? = nil
    ) {
        self.id = id
        self.rank = rank
        self.path = path
        self.identity = identity
        self.target = target
        self.state = state
        boxedResource = Boxed(resource)
        self.added = added
        rest = .none
        if tries != Tries() || batch != nil || start != nil {
            setRest { $0 = Rest(tries: tries, batch: batch, start: start?.ifAny) }
        }
    }

    private mutating func setRest(_ change: (inout Rest) -> Void) {
        var rest = rest.value ?? Rest()
        change(&rest)
        self.rest = Boxed(rest == Rest() ? nil : rest)
    }

    /// Uploads that were added together say the same, and then keep it in one place.
    mutating func shareRest(with other: Upload) {
        if rest == other.rest { rest = other.rest }
    }

    /// The size of the file in bytes, as queued.
    public var size: ByteCount { identity.size }

    /// Bytes the server holds for certain.
    public var confirmed: ByteCount {
        if case .done = state { return size }
        return resource?.confirmed ?? 0
    }

    /// The target of an upload. Fixed when it is queued, so that a later change of the configuration cannot redirect
    /// it.
    public struct Target: Hashable, Codable, Sendable {
        /// The destination's name in the configuration: where credentials, headers and TLS settings come from.
        /// Empty for an address given on the command line.
        public var destination: String
        /// The address the protocol starts with, without user info.
        public var url: String
        /// A name from `ProtocolCatalog`.
        public var method: String
        /// The name the file gets there.
        public var name: String
        /// Form parameters or metadata of this upload alone, in order.
        public var fields: [Field]
        /// The treatment of a file that is there already; nil for what the destination says.
        public var existing: ExistingFilePolicy?

        /// A form parameter or an entry of the metadata. A name may come several times: that is a list.
        public typealias Field = UploadItem.Parameter

        public init(
            destination: String, url: String, method: String, name: String, fields: [Field] = [],
            existing: ExistingFilePolicy? = nil
        ) {
            self.destination = destination
            self.url = url
            self.method = method
            self.name = name
            self.fields = fields
            self.existing = existing
        }
    }

    /// Each case carries what is true in it and nothing else.
    public enum State: Hashable, Sendable {
        case queued
        case running(attempt: Int, since: Date)
        indirect case waiting(until: Date, failure: UploadFailure)
        case paused(PauseReasons)
        /// A person must decide. `failure.category` says why, `failure.hint` how to go on.
        indirect case held(UploadFailure)
        indirect case done(Receipt, at: Date)
        indirect case failed(UploadFailure)

        /// The name of the case: in the queue's files, in `--json` and in lists.
        public var kind: String {
            switch self {
            case .queued: "queued"
            case .running: "running"
            case .waiting: "waiting"
            case .paused: "paused"
            case .held: "held"
            case .done: "done"
            case .failed: "failed"
            }
        }
    }

    /// The reasons for a pause. Each reason is lifted by who set it: the link coming back never lifts the user's.
    public struct PauseReasons: OptionSet, Hashable, Sendable {
        /// One bit a reason; stored in the queue's files.
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// A person paused it, and only a person can resume it.
        public static let user = PauseReasons(rawValue: 1)
        /// There is no network; lifted when it is back.
        public static let offline = PauseReasons(rawValue: 2)
    }

    /// The cost of the attempts so far. Time offline counts for nothing.
    public struct Tries: Hashable, Sendable {
        /// Attempts ever started.
        public var attempts = 0
        /// Failures of the network since the upload last moved forward.
        public var network = 0
        /// Refusals by the server since the last answer that was not one.
        public var server = 0
        /// Sign-ins refused since the last that worked.
        public var authentication = 0
        /// Attempts that went on from bytes the server already held.
        public var resumes = 0
        /// Bytes sent that had been sent before.
        public var resent: ByteCount = 0
        /// The position in the file that the last attempt had reached, in bytes, as noted last; 0 once the next attempt
        /// knows what of that it sends again.
        public var sent: ByteCount = 0
        /// The wait before the next attempt, in seconds, as last drawn.
        public var delay = 0.0
        /// The number of times that another version of the file took the place of the one before.
        public var changes = 0
        /// Whole bodies that went out without an answer, where nobody could be asked what became of them.
        public var uncertain = 0

        public init() {}
    }
}
