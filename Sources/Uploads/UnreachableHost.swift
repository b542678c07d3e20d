/// A host that does not answer, so that one probe asks for it in place of all uploads that go there.
public struct UnreachableHost: Hashable, Codable, Sendable {
    /// Its name, without the port.
    public var host: String
    /// The error, behind the host's name in a sentence: `is not found`.
    public var reason: String
    /// Uploads that wait for it, whatever else they wait for.
    public var waiting: Int

    public init(host: String, reason: String, waiting: Int) {
        self.host = host
        self.reason = reason
        self.waiting = waiting
    }
}
