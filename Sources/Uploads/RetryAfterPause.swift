public import FerryFiles

/// A server that is busy and said for how long it wants to be left alone (429 or 503 with `Retry-After`).
public struct RetryAfterPause: Hashable, Codable, Sendable {
    /// Its name, without the port.
    public var host: String
    /// Its answer.
    public var status: Int
    /// The time when uploads go there again, by the current clock.
    public var until: Date
    /// Uploads that wait for it, whatever else they wait for.
    public var waiting: Int

    public init(host: String, status: Int, until: Date, waiting: Int) {
        self.host = host
        self.status = status
        self.until = until
        self.waiting = waiting
    }
}
