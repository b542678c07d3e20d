public import FerryFiles

/// The features that a server offers, kept for a destination so that it is asked once.
public struct ServerCapabilities: Hashable, Codable, Sendable {
    /// The extensions' names, lower case.
    public var extensions: Set<String>
    /// The largest upload it takes, in bytes.
    public var maximumSize: ByteCount?
    /// Other facts that a protocol found out, by names of its own: an interop version, a region, a checksum it checks.
    public var facts: [String: String]
    /// The time when the server was asked; set by the one who stores this.
    public var asked: Date?

    public init(
        extensions: Set<String> = [], maximumSize: ByteCount? = nil, facts: [String: String] = [:],
        asked: Date? = nil
    ) {
        self.extensions = extensions
        self.maximumSize = maximumSize
        self.facts = facts
        self.asked = asked
    }
}
