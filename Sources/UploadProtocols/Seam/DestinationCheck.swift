public import FerryFiles

/// Asks a destination what it can do, without leaving anything there: the same shape as an upload, with another end.
public protocol DestinationCheck: Sendable {
    /// The first thing to ask.
    mutating func start() -> CheckStep
    /// Takes what came of the last exchange.
    mutating func receive(_ reply: ExchangeOutcome) -> CheckStep
}

/// The next step of a check.
public enum CheckStep: Sendable {
    case send(Exchange)
    case finished(CheckReport)
    case failed(UploadFailure)
}

/// The abilities of a destination.
public struct CheckReport: Hashable, Sendable {
    /// An unfinished upload at the server that may be anybody's.
    public struct Leftover: Hashable, Sendable {
        /// The name that the upload was to get.
        public var name: String
        /// The time of its creation, if the server says so.
        public var begun: Date?
        /// The time of the last write, if the server says so.
        public var changed: Date?
        /// Bytes that the server holds of it; nil if it does not say.
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

    /// One sentence each, without a final stop.
    public var findings: [String]
    /// The facts to keep for the destination's uploads; nil if none were learnt that they need.
    public var capabilities: ServerCapabilities?
    /// The uploads that others, or a crash, left behind.
    public var leftovers: [Leftover]

    public init(
        findings: [String] = [], capabilities: ServerCapabilities? = nil, leftovers: [Leftover] = []
    ) {
        self.findings = findings
        self.capabilities = capabilities
        self.leftovers = leftovers
    }
}
