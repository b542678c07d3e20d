public import FerryFiles

/// The features that a server offers, stored for a destination so that they are requested once.
public struct ServerCapabilities: Hashable, Codable, Sendable {
    /// The names of the extensions in lower case.
    public var extensions: Set<String>
    /// The largest upload that the server accepts, in bytes.
    public var maximumSize: ByteCount?
    /// Other facts that a protocol found, under its own keys: an interop version, a region, a supported checksum.
    public var facts: [String: String]
    /// The time when the capabilities were requested. The store of capabilities sets it.
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
