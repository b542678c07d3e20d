public import FerryFiles

/// A check of a destination's abilities that leaves nothing there. It has steps like an upload.
public protocol DestinationCheck: Sendable {
    /// Returns the first step.
    mutating func start() -> CheckStep
    /// Handles the outcome of the last exchange.
    mutating func receive(_ reply: ExchangeOutcome) -> CheckStep
}

/// The next step of a check.
public enum CheckStep: Sendable {
    case send(Exchange)
    case finished(CheckReport)
    case failed(UploadFailure)

    /// Returns the step that ends a check with this failure.
    static func failed(_ category: UploadFailure.Category, _ summary: String, hint: String? = nil)
        -> CheckStep
    {
        .failed(UploadFailure(category, summary, hint: hint))
    }

    /// Returns the step that ends a check with one finding.
    static func found(_ finding: String) -> CheckStep { .finished(CheckReport(findings: [finding])) }
}

/// The abilities of a destination.
public struct CheckReport: Hashable, Sendable {
    /// An unfinished upload on the server whose owner is unknown.
    public struct Leftover: Hashable, Sendable {
        /// The intended name of the uploaded file.
        public var name: String
        /// The time of its creation, if the server states it.
        public var begun: Date?
        /// The time of the last write, if the server states it.
        public var changed: Date?
        /// The stored bytes; nil if the server does not state them.
        public var size: ByteCount?
        /// The resource for `UploadProtocol.removal(of:)`.
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

    /// The findings, one sentence each, without a final stop.
    public var findings: [String]
    /// The facts to store for the destination's uploads; nil if there are none.
    public var capabilities: ServerCapabilities?
    /// The unfinished uploads of other programs or of a crash.
    public var leftovers: [Leftover]

    public init(
        findings: [String] = [], capabilities: ServerCapabilities? = nil, leftovers: [Leftover] = []
    ) {
        self.findings = findings
        self.capabilities = capabilities
        self.leftovers = leftovers
    }
}
