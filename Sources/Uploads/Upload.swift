public import FerryProtocols
import FerryTransfer

/// The upload of one file to one destination: an entry of the queue.
public struct Upload: Identifiable, Hashable, Sendable {
    /// A short number, for users to type, that the queue never gives to a second upload.
    public typealias ID = Int

    /// The number of the upload, counted from 1 and never reused.
    public let id: ID
    /// The unique position of the upload in the queue. The queued upload with the lowest rank starts first.
    public var rank: Int64
    /// The absolute path of the file.
    public var path: LocalPath
    /// The version of the file that the upload sends: its device, inode, size and times.
    public var identity: FileIdentity
    /// The destination, the protocol and the name on the server. They are fixed when the file is queued.
    public var target: Target
    /// The state of the upload, such as queued or done.
    public var state: State
    /// The upload resource: the server's state from which the upload can resume, such as an upload URL.
    public var resource: UploadResource? {
        get { boxedResource.value }
        set { boxedResource = Boxed(newValue) }
    }
    /// The counts of attempts at this upload and of their failures.
    public var tries: Tries {
        get { rest.value?.tries ?? Tries() }
        set { setRest { $0.tries = newValue } }
    }
    /// The wall-clock time when the upload was added.
    public var added: Date
    /// The name of the batch, a named group of uploads, to which the upload belongs; nil if it belongs to no batch.
    public var batch: String? {
        get { rest.value?.batch }
        set { setRest { $0.batch = newValue } }
    }
    /// The condition for the first start of the upload; nil if there is none, or if it is already met.
    public var start: StartCondition? {
        get { rest.value?.start }
        set { setRest { $0.start = newValue?.ifAny } }
    }

    private var boxedResource: Boxed<UploadResource>
    private var rest: Boxed<Rest>

    /// The values that most uploads of a long queue do not need, so that they take little memory.
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

    /// Lets this upload use the memory of `other` for equal tries, batch and start condition.
    mutating func shareRest(with other: Upload) {
        // Equal texts can be different Unicode forms of a letter.
        let hasSameBatch = (batch ?? "").utf8.elementsEqual((other.batch ?? "").utf8)
        if rest == other.rest, hasSameBatch { rest = other.rest }
    }

    /// The size of the file in bytes, in the version that the upload sends.
    public var size: ByteCount { identity.size }

    /// The number of bytes that the server has confirmed, or the size of the file once the upload is done.
    public var confirmed: ByteCount {
        if case .done = state { return size }
        return resource?.confirmed ?? 0
    }

    /// The state of an upload. Each case has only the values that apply to it.
    public enum State: Hashable, Sendable {
        case queued
        case running(attempt: Int, since: Date)
        indirect case waiting(until: Date, failure: UploadFailure)
        case paused(PauseReasons)
        /// The upload stops until a user decides. The failure has the reason, and its `hint` the next step.
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

    /// The reasons why an upload is paused. If both apply and the network returns, the user's pause stays.
    public struct PauseReasons: OptionSet, Hashable, Sendable {
        /// The bits of the reasons, as stored in the queue's files.
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// A user paused the upload, and only a user can resume it.
        public static let user = PauseReasons(rawValue: 1)
        /// There is no network. The pause ends when the network returns.
        public static let offline = PauseReasons(rawValue: 2)
    }

    /// The numbers of attempts and failed attempts. An attempt that is cancelled for lack of a network is no failure.
    public struct Tries: Hashable, Sendable {
        /// The number of attempts at the upload so far.
        public var attempts = 0
        /// The number of attempts that failed because of the network, a lock at the server, the file's volume or the
        /// source of credentials, not counting connections within five seconds after the network returned. It returns
        /// to 0 when the server confirms more bytes, or when a user retries the upload.
        public var network = 0
        /// The number of temporary refusals by the server. It returns to 0 like `network`.
        ///
        /// Once `resent` has reached 2 × the file's size + 64 MiB, confirmed bytes no longer reset this number, so that
        /// a server which loses confirmed bytes is not retried without end.
        public var server = 0
        /// The number of attempts whose credentials were rejected or missing. It returns to 0 like `server`.
        public var authentication = 0
        /// The number of attempts that continued after bytes which the server had already stored.
        public var resumes = 0
        /// The number of bytes of the file that were sent and then had to be sent again.
        public var resent: ByteCount = 0
        /// The number of bytes that the last attempt had sent or that were confirmed. It returns to 0 as soon as the
        /// next attempt knows how many must be sent again.
        public var sent: ByteCount = 0
        /// The most recent delay before a retry, in seconds.
        public var delay = 0.0
        /// The number of times that the upload got a new version of its file.
        public var changes = 0
        /// The number of attempts that sent the whole file, but whose outcome is unknown and cannot be asked for.
        public var uncertain = 0
        /// True if a user retried an upload of unknown outcome. An HTML page then counts as the server's final
        /// response.
        public var acceptsPage = false

        public init() {}
    }
}
