/// An event of a receiver, for a log or a screen.
public enum ReceiverEvent: Hashable, Sendable {
    /// An upload has begun; the name is the client's wish, the size is nil where the client does not know it.
    case created(id: String, name: String, size: Int?)
    /// Bytes of the upload held so far.
    case received(id: String, bytes: Int)
    /// Stored, durably, under this path below the directory.
    case finished(id: String, name: String, size: Int)
    /// The client went away. `kept` bytes wait for it to come back; 0 where the protocol cannot resume.
    case interrupted(id: String, name: String, kept: Int)
    /// Bytes come again from this offset on, after a break or a restart of the receiver.
    case resumed(id: String, name: String, offset: Int)
    /// Removed by its client.
    case removed(id: String, name: String)
    /// Removed because nothing came for too long, or empty and in the way of new uploads.
    case expired(id: String, name: String)
    /// A request was turned down. `request` is its method and path; empty for a connection that was closed unread.
    case refused(status: Int, reason: String, request: String)
}

/// Counts since the receiver was made.
public struct ReceiverStatistics: Hashable, Sendable {
    /// Bytes of request bodies written to disk, kept or not.
    public var bodyBytes = 0
    /// Files that are on disk under their names.
    public var finishedUploads = 0
    /// Requests that were turned down, each also an event.
    public var refusedRequests = 0
}

/// The address on which a receiver or a proxy listens.
public struct ReceiverAddress: Hashable, Sendable {
    /// The name or address of the configuration, without brackets.
    public let host: String
    /// The port that the system chose, where the configuration says 0.
    public let port: Int
    /// True if the receiver speaks TLS at this address.
    public let isSecure: Bool

    public init(host: String, port: Int, isSecure: Bool = false) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
    }

    /// The address to upload to, with a final slash; tus resources are created at `files/` below it.
    public var url: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }
}
