public import FerryFiles
public import FerryProtocols
import FerryTransfer

/// The upload of one file to one destination: an entry of the queue.
public struct Upload: Identifiable, Hashable, Sendable {
    /// A short number that users can type. It is never used again in the life of a queue.
    public typealias ID = Int

    /// The number, counted from 1 and never reused.
    public let id: ID
    /// The rank in the queue. The upload with the lowest rank starts first. Each rank is unique. A move exchanges
    /// ranks, or assigns new ones below the lowest or above the highest.
    public var rank: Int64
    /// The absolute path of the file.
    public var path: LocalPath
    /// The version of the file that was queued.
    public var identity: FileIdentity
    /// The target, fixed when the file was queued.
    public var target: Target
    /// The state.
    public var state: State
    /// The upload resource on the server, for resuming; nil if there is none, for example before its creation or after
    /// the upload is done.
    public var resource: UploadResource? {
        get { boxedResource.value }
        set { boxedResource = Boxed(newValue) }
    }
    /// The counts of attempts and failures so far.
    public var tries: Tries {
        get { rest.value?.tries ?? Tries() }
        set { setRest { $0.tries = newValue } }
    }
    /// The wall-clock time when the upload was added.
    public var added: Date
    /// The name of the batch to which the upload was added; nil for none.
    public var batch: String? {
        get { rest.value?.batch }
        set { setRest { $0.batch = newValue } }
    }
    /// The condition for the first start of the upload; nil if it can start at once.
    public var start: StartCondition? {
        get { rest.value?.start }
        set { setRest { $0.start = newValue?.ifAny } }
    }

    private var boxedResource: Boxed<UploadResource>
    private var rest: Boxed<Rest>

    /// The members that most uploads of a long queue lack. They are stored together to save memory.
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

    /// Shares the storage of attempts, batch and start condition with `other` if they are equal, to save memory.
    mutating func shareRest(with other: Upload) {
        if rest == other.rest { rest = other.rest }
    }

    /// The size of the file in bytes, as queued.
    public var size: ByteCount { identity.size }

    /// The number of bytes that the server has confirmed; the size of the file once the upload is done.
    public var confirmed: ByteCount {
        if case .done = state { return size }
        return resource?.confirmed ?? 0
    }

    /// The target of an upload. Fixed when the file is queued, so that a later change of the configuration cannot
    /// redirect it.
    public struct Target: Hashable, Codable, Sendable {
        /// The destination's name. The configuration defines the credentials, header fields and TLS settings of the
        /// destination. Empty for a URL given on the command line.
        public var destination: String
        /// The destination's URL, without user info. For a configured destination, it also lacks the query. It can
        /// contain `{name}`, which the file's name replaces.
        public var url: String
        /// The protocol's name in `ProtocolCatalog`.
        public var method: String
        /// The name of the file on the server.
        public var name: String
        /// The form parameters or metadata: those of the destination when the file was queued, then the upload's own.
        public var fields: [Field]
        /// The treatment of a file that exists on the server with this name; nil for the destination's policy.
        public var existing: ExistingFilePolicy?

        /// A form parameter or an entry of the metadata. Several entries with one name form a list.
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
        /// A user must decide. The `category` of the failure is the reason, and its `hint` the next step.
        indirect case held(UploadFailure)
        indirect case done(Receipt, at: Date)
        indirect case failed(UploadFailure)

        /// The name of the case, as it is written in the queue's files, in `--json` and in lists.
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

    /// The reasons for a pause. Each reason ends separately: when the network returns, the user's pause stays.
    public struct PauseReasons: OptionSet, Hashable, Sendable {
        /// The bits of the reasons, as stored in the queue's files.
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// A user paused the upload, and only a user can resume it.
        public static let user = PauseReasons(rawValue: 1)
        /// There is no network. The pause ends when the network returns.
        public static let offline = PauseReasons(rawValue: 2)
    }

    /// The counts of the attempts so far, and of their failures by kind. An attempt that is cancelled because this
    /// machine has no network is not a failure.
    public struct Tries: Hashable, Sendable {
        /// The number of attempts ever started.
        public var attempts = 0
        /// The number of attempts that broke since the server last confirmed more bytes or a user retried the upload.
        /// An attempt breaks if the connection fails or times out, if the server has locked the upload, or if the
        /// file's volume or the source of credentials is unavailable. A connection that fails within five seconds after
        /// the network returned does not count.
        public var network = 0
        /// The number of temporary refusals by the server since it last confirmed more bytes or a user retried the
        /// upload. Confirmed bytes reset this count only while `resent` is below 2 × the file's size + 64 MiB.
        /// Without this limit, a server that repeatedly loses confirmed bytes would be retried without end.
        public var server = 0
        /// The number of attempts that ended because credentials were rejected or missing, since the server last
        /// confirmed more bytes or a user retried the upload. Confirmed bytes reset this count only while `resent` is
        /// below 2 × the file's size + 64 MiB.
        public var authentication = 0
        /// The number of attempts that resumed after bytes that the server had stored.
        public var resumes = 0
        /// The number of bytes of the file that were sent and then had to be sent again.
        public var resent: ByteCount = 0
        /// The number of bytes of the file that the most recent attempt had sent, or that the server had confirmed,
        /// when this number was last updated. It is reset to 0 once the next attempt knows how many of these bytes it
        /// sends again.
        public var sent: ByteCount = 0
        /// The most recent delay before a retry, in seconds: drawn at random, fixed, or requested by the server.
        public var delay = 0.0
        /// The number of times that the upload began again with a new version of the file.
        public var changes = 0
        /// The number of times that the whole body was sent without a response. Counted only if the protocol cannot
        /// request the state of an upload.
        public var uncertain = 0

        public init() {}
    }
}
