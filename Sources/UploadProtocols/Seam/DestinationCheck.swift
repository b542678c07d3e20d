public import FerryFiles

/// A check of what a destination supports. It tries to delete everything that it creates on the server. The check
/// returns steps, and the caller passes the outcome of each request to `receive`.
public protocol DestinationCheck: Sendable {
    /// Returns the first step.
    mutating func start() -> CheckStep
    /// Handles the outcome of the request in the last step, and returns the next step.
    mutating func receive(_ reply: ExchangeOutcome) -> CheckStep
}

/// The next step of a check of a destination.
public enum CheckStep: Sendable {
    case send(Exchange)
    case finished(CheckReport)
    case failed(UploadFailure)

    static func failed(_ category: UploadFailure.Category, _ summary: String, hint: String? = nil)
        -> CheckStep
    {
        .failed(UploadFailure(category, summary, hint: hint))
    }

    static func found(_ finding: String) -> CheckStep { .finished(CheckReport(findings: [finding])) }
}

/// The result of a check of a destination.
public struct CheckReport: Hashable, Sendable {
    /// An unfinished upload that the server lists. Any program may have begun it.
    public struct Leftover: Hashable, Sendable {
        /// The name that the finished file would have, or of the upload's folder for Nextcloud, which does not list the
        /// file's name. In a redacted report, it is one line of at most 200 characters.
        public var name: String
        /// The time when the upload was created; nil if the server does not state it.
        public var begun: Date?
        /// The time when bytes were last added to the upload; nil if the server does not state it.
        public var changed: Date?
        /// The number of stored bytes; nil if it is unknown.
        public var size: ByteCount?
        /// The state on the server, from which `UploadProtocol.removal(of:)` makes the requests that delete the upload.
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

    /// The finding that the check has not tried to upload a file, which would stay on the server.
    static let untried = "that it takes files was not tried"

    /// The findings, one sentence each, without a full stop at the end.
    public var findings: [String]
    /// The features of the server, which are stored for later uploads; nil if the check found none.
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
