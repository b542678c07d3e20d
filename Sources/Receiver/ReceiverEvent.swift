/// An event of a receiver, for a log or a screen.
public enum ReceiverEvent: Hashable, Sendable {
    /// An upload has begun. The name is the client's wish; the size is nil if the client does not know it.
    case created(id: String, name: String, size: Int?)
    /// The number of bytes of the upload stored so far.
    case received(id: String, bytes: Int)
    /// The upload is stored durably under this path below the directory.
    case finished(id: String, name: String, size: Int)
    /// The client disconnected. `kept` bytes are stored for resuming; 0 if the protocol cannot resume.
    case interrupted(id: String, name: String, kept: Int)
    /// Bytes arrive again from this offset on, after a break or a restart of the receiver.
    case resumed(id: String, name: String, offset: Int)
    /// The client removed the upload.
    case removed(id: String, name: String)
    /// The upload was removed because no bytes arrived for too long, or because an empty upload had to give way to new
    /// ones.
    case expired(id: String, name: String)
    /// A request was refused. `request` is its method and path; empty for a connection that was closed unread.
    case refused(status: Int, reason: String, request: String)
}

/// The counts since the receiver was created.
public struct ReceiverStatistics: Hashable, Sendable {
    /// The number of bytes of request bodies written to disk, kept or not.
    public var bodyBytes = 0
    /// The number of files that are on disk under their names.
    public var finishedUploads = 0
    /// The number of refused requests, each also an event.
    public var refusedRequests = 0
}

/// The address on which a receiver or a proxy listens.
public struct ReceiverAddress: Hashable, Sendable {
    /// The name or address of the configuration, without brackets.
    public let host: String
    /// The port; the one that the system chose if the configuration has 0.
    public let port: Int
    /// True if the receiver speaks TLS at this address.
    public let isSecure: Bool

    public init(host: String, port: Int, isSecure: Bool = false) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
    }

    /// The URL to upload to, with a final slash; tus resources are created at `files/` below it.
    public var url: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }
}
