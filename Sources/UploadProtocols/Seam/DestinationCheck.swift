public import FerryFiles

/// A check of what a destination supports. It deletes what it creates on the server, if the server allows that. The
/// check sends nothing itself: it returns steps, and the caller passes the outcome of each request to `receive`.
public protocol DestinationCheck: Sendable {
    /// Returns the first step.
    mutating func start() -> CheckStep
    /// Takes the outcome of the last step's exchange, and returns the next step.
    mutating func receive(_ reply: ExchangeOutcome) -> CheckStep
}

/// The next step of a check.
public enum CheckStep: Sendable {
    case send(Exchange)
    case finished(CheckReport)
    case failed(UploadFailure)

    static func failed(_ category: UploadFailure.Category, _ summary: String, hint: String? = nil)
        -> CheckStep
    {
        .failed(UploadFailure(category, summary, hint: hint))
    }

    /// Returns the step that ends a check with one finding.
    static func found(_ finding: String) -> CheckStep { .finished(CheckReport(findings: [finding])) }
}

/// The result of a destination's check.
public struct CheckReport: Hashable, Sendable {
    /// An unfinished upload that the server lists. Any program may have begun it.
    public struct Leftover: Hashable, Sendable {
        /// The name that the finished file would have. For Nextcloud, it is the name of the upload's folder, because
        /// the server does not list the file's name.
        public var name: String
        /// The time when the upload was created, if the server states it.
        public var begun: Date?
        /// The time of the last write, if the server states it.
        public var changed: Date?
        /// The number of stored bytes; nil if it is unknown.
        public var size: ByteCount?
        /// The upload resource, to be deleted with the requests of `UploadProtocol.removal(of:)`.
        public var resource: UploadResource

        public init(
            name: String, begun: Date? = nil, changed: Date? = nil, size: ByteCount? = nil,
            resource: UploadResource
        ) {
            self.name = name
            self.begun = begun
            self.changed = changed
            self.size = size
            self.resource = resource
        }
    }

    /// The finding that no upload was tried: the check sends no file, because the file would stay on the server.
    static let untried = "that it takes files was not tried"

    /// The findings, one sentence each, without a full stop at the end.
    public var findings: [String]
    /// The features of the server, to be stored for the destination's uploads; nil if the check found none.
    public var capabilities: ServerCapabilities?
    /// The unfinished uploads that the server lists.
    public var leftovers: [Leftover]

    public init(
        findings: [String] = [], capabilities: ServerCapabilities? = nil, leftovers: [Leftover] = []
    ) {
        self.findings = findings
        self.capabilities = capabilities
        self.leftovers = leftovers
    }
}
