/// An unreachable host. One probe checks it for all uploads that go there.
public struct UnreachableHost: Hashable, Codable, Sendable {
    /// The host's name, without the port.
    public var host: String
    /// The error, as the part of a sentence after the host's name: `is not found`.
    public var reason: String
    /// The number of uploads that wait for the host, whatever else they wait for.
    public var waiting: Int

    public init(host: String, reason: String, waiting: Int) {
        self.host = host
        self.reason = reason
        self.waiting = waiting
    }
}
