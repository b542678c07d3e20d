public import struct Foundation.Date

/// Asks a destination what it can do, without leaving anything there: the same shape as an upload, with another end.
public protocol DestinationCheck: Sendable {
    /// The first thing to ask.
    mutating func start() -> CheckStep
    /// Takes what came of the last exchange.
    mutating func receive(_ reply: Reply) -> CheckStep
}

/// What to do next about a check.
public enum CheckStep: Sendable {
    case send(Exchange)
    case finished(CheckReport)
    case failed(UploadFailure)
}

/// What a destination can do.
public struct CheckReport: Hashable, Sendable {
    /// An unfinished upload at the server that may be anybody's.
    public struct Leftover: Hashable, Sendable {
        /// What it was to become.
        public var name: String
        /// When it was begun, if the server says so.
        public var begun: Date?
        /// When it was last written to, if the server says so.
        public var changed: Date?
        /// Bytes that the server holds of it; nil if it does not say.
        public var size: ByteCount?
        /// As `UploadProtocol.removal(of:)` takes it.
        public var resource: Resource

        public init(
            name: String, begun: Date? = nil, changed: Date? = nil, size: ByteCount? = nil, resource: Resource
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
    /// To be kept for the destination's uploads; nil if nothing was learnt that they need.
    public var capabilities: ServerCapabilities?
    /// What others, or a crash, left behind.
    public var leftovers: [Leftover]

    public init(
        findings: [String] = [], capabilities: ServerCapabilities? = nil, leftovers: [Leftover] = []
    ) {
        self.findings = findings
        self.capabilities = capabilities
        self.leftovers = leftovers
    }
}
