public import FerryFiles

/// A pause that a busy server asked for, with status 429 or 503 and `Retry-After`.
public struct RetryAfterPause: Hashable, Codable, Sendable {
    /// The name of the busy server's host, without the port.
    public var host: String
    /// The HTTP status of the response that asked for the pause: 429 or 503.
    public var status: Int
    /// The wall-clock time when uploads to the server resume.
    public var until: Date
    /// The number of uploads that wait for the server, some of them also for something else, such as a slot.
    public var waiting: Int

    public init(host: String, status: Int, until: Date, waiting: Int) {
        self.host = host
        self.status = status
        self.until = until
        self.waiting = waiting
    }
}
