public import FerryFiles

/// A busy server that asked for a pause (429 or 503 with `Retry-After`).
public struct RetryAfterPause: Hashable, Codable, Sendable {
    /// The host's name, without the port.
    public var host: String
    /// The status of its response.
    public var status: Int
    /// The time when uploads to the server resume, by the current clock.
    public var until: Date
    /// The number of uploads that wait for the server, whatever else they wait for.
    public var waiting: Int

    public init(host: String, status: Int, until: Date, waiting: Int) {
        self.host = host
        self.status = status
        self.until = until
        self.waiting = waiting
    }
}
