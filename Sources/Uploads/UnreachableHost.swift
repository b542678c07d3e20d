/// An unreachable host. One probe checks it for all uploads to this host.
public struct UnreachableHost: Hashable, Codable, Sendable {
    /// The host's name, without the port.
    public var host: String
    /// The error, as the part of a sentence after the host's name: `is not found`.
    public var reason: String
    /// The number of uploads that wait for the host, including those that also wait for something else.
    public var waiting: Int

    public init(host: String, reason: String, waiting: Int) {
        self.host = host
        self.reason = reason
        self.waiting = waiting
    }
}
