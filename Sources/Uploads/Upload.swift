public import FerryFiles
public import FerryProtocols
import FerryTransfer

/// One file on its way to one destination: the unit of the queue.
public struct Upload: Identifiable, Hashable, Sendable {
    /// A short number that users can type. Never reused in the life of a queue.
    public typealias ID = Int

    /// The number, counted from 1 and never reused.
    public let id: ID
    /// The rank in the queue: lower starts first. Unique; moving permutes ranks or extends them at the ends.
    public var rank: Int64
    /// The absolute path of the file.
    public var path: LocalPath
    /// The version of the file that was queued.
    public var identity: FileIdentity
    /// The target, fixed when the file was queued.
    public var target: Target
    /// The state.
    public var state: State
    /// The resource that the server gave for resuming; nil before creation and for protocols that cannot resume.
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

    /// Lets uploads with equal values share their storage, as those that were added together do.
    mutating func shareRest(with other: Upload) {
        if rest == other.rest { rest = other.rest }
    }

    /// The size of the file in bytes, as queued.
    public var size: ByteCount { identity.size }

    /// The number of bytes that the server has confirmed.
    public var confirmed: ByteCount {
        if case .done = state { return size }
        return resource?.confirmed ?? 0
    }

    /// The target of an upload. Fixed when the file is queued, so that a later change of the configuration cannot
    /// redirect it.
    public struct Target: Hashable, Codable, Sendable {
        /// The destination's name in the configuration, which defines credentials, header fields and TLS settings.
        /// Empty for a URL given on the command line.
        public var destination: String
        /// The URL that the protocol starts with, without user info.
        public var url: String
        /// The protocol's name in `ProtocolCatalog`.
        public var method: String
        /// The name of the file on the server.
        public var name: String
        /// The form parameters or metadata of this upload alone, in sequence.
        public var fields: [Field]
        /// The treatment of a file that exists already; nil for the destination's policy.
        public var existing: ExistingFilePolicy?

        /// A form parameter or an entry of the metadata. A repeated name is a list.
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

    /// The state of an upload. Each case has only the values that apply to it.
    public enum State: Hashable, Sendable {
        case queued
        case running(attempt: Int, since: Date)
        indirect case waiting(until: Date, failure: UploadFailure)
        case paused(PauseReasons)
        /// A user must decide. `failure.category` is the reason, `failure.hint` the next step.
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

    /// The reasons for a pause. Only the origin of a reason can lift it: a link that returns never lifts the user's.
    public struct PauseReasons: OptionSet, Hashable, Sendable {
        /// The bits of the reasons, as stored in the queue's files.
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// A user paused the upload, and only a user can resume it.
        public static let user = PauseReasons(rawValue: 1)
        /// There is no network; lifted when the network returns.
        public static let offline = PauseReasons(rawValue: 2)
    }

    /// The counts of the attempts so far. Time offline does not count.
    public struct Tries: Hashable, Sendable {
        /// The number of attempts ever started.
        public var attempts = 0
        /// The number of failures of the network since the upload last progressed.
        public var network = 0
        /// The number of refusals by the server since its last other response.
        public var server = 0
        /// The number of rejected credentials since the last accepted ones.
        public var authentication = 0
        /// The number of attempts that resumed with bytes on the server.
        public var resumes = 0
        /// The number of bytes sent that had been sent before.
        public var resent: ByteCount = 0
        /// The last noted position in the file of the last attempt, in bytes; 0 once the next attempt knows how much of
        /// that it sends again.
        public var sent: ByteCount = 0
        /// The delay before the next attempt, in seconds, as last drawn.
        public var delay = 0.0
        /// The number of times that another version replaced the file's version.
        public var changes = 0
        /// The number of whole bodies sent without a response, with a protocol that cannot ask for their state.
        public var uncertain = 0

        public init() {}
    }
}
