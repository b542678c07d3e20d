/// An event of a receiver, for a log or a screen.
public enum ReceiverEvent: Hashable, Sendable {
    /// An upload has begun. `name` is the requested path. `size` is nil if the client has not declared it.
    case created(id: String, name: String, size: Int?)
    /// More bytes were written. `bytes` is the total so far, with those of earlier requests.
    case received(id: String, bytes: Int)
    /// The upload is stored durably. `name` is its path below the directory, which can differ from the requested one.
    case finished(id: String, name: String, size: Int)
    /// An upload ended before the file was stored. The client can resume after `kept` bytes; 0 if it cannot resume.
    case interrupted(id: String, name: String, kept: Int)
    /// A client continues an upload at `offset` after an interruption or a restart of the receiver.
    case resumed(id: String, name: String, offset: Int)
    /// The client removed the upload resource. The file of a finished upload stays.
    case removed(id: String, name: String)
    /// The receiver removed an unfinished upload that was unused for too long, or that had no bytes and made room.
    case expired(id: String, name: String)
    /// A request or a connection was refused. `request` is its method and path; empty for a connection. `client` is the
    /// address of the client, or its /64 network for IPv6; 127.0.0.1 for all loopback addresses, empty if unknown.
    case refused(status: Int, reason: String, request: String, client: String = "")
}

/// The numbers of stored bytes, finished uploads and refusals since the receiver was created.
public struct ReceiverStatistics: Hashable, Sendable {
    /// The number of bytes of request bodies written to disk, including bytes that were discarded later.
    public var bodyBytes = 0
    /// The number of uploads that were received completely. The file of each has its final name in the folder.
    public var finishedUploads = 0
    /// The number of refused requests and connections. Each is reported as an event, too.
    public var refusedRequests = 0
}

/// The address on which a receiver or a proxy listens.
public struct ReceiverAddress: Hashable, Sendable {
    /// The host name or IP address from the configuration, without brackets.
    public let host: String
    /// The port. If the configuration has port 0, this is the one that the system chose.
    public let port: Int
    /// True if the receiver speaks TLS at this address.
    public let isSecure: Bool

    public init(host: String, port: Int, isSecure: Bool = false) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
    }

    /// The URL to upload to, with a slash at the end. tus clients create uploads at `files/` below it.
    public var url: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }
}
