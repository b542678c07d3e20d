public import FerryFiles

/// The features that a server offers, stored for the destination, so that most uploads need not ask for them.
public struct ServerCapabilities: Hashable, Codable, Sendable {
    /// The names of the protocol extensions that the server offers, in lower case: tus extensions, WebDAV classes.
    public var extensions: Set<String>
    /// The size of the largest upload that the server accepts, in bytes; nil if it states no limit.
    public var maximumSize: ByteCount?
    /// Other facts about the server, under keys of the protocol: an interop version, a maximum number of parts.
    public var facts: [String: String]
    /// The time of the report, which is set when the features are stored for a destination.
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
