/// A host that cannot be reached now. Uploads to it wait while the queue tests it at intervals.
public struct UnreachableHost: Hashable, Codable, Sendable {
    /// The name of the unreachable host, without the port.
    public var host: String
    /// The error, as a text that completes a sentence about the host, such as `is not found`.
    public var reason: String
    /// The number of uploads that wait for the host, some of them also for something else, such as a slot.
    public var waiting: Int

    public init(host: String, reason: String, waiting: Int) {
        self.host = host
        self.reason = reason
        self.waiting = waiting
    }
}
