/// The settings of a receiver: its address, its folder and its limits.
public struct ReceiverConfiguration: Sendable {
    /// The limits that keep clients from exhausting the machine.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of open connections. At the maximum, a new connection replaces a connection that has made
        /// no authorized request. If there is no such connection, the new one waits until a connection closes.
        public var connections = 256
        /// The maximum number of open connections of one client address. At the maximum, a new connection replaces a
        /// connection of the same client that has made no authorized request. If the client has no such connection, the
        /// new one is refused.
        ///
        /// All loopback addresses are one client. If the receiver has no token, every valid request is authorized.
        ///
        /// The default is a quarter of `connections`, so that no single client excludes all others. A client needs far
        /// fewer connections: by default, Ferry opens 4 to a host, rclone 8, and a browser 6.
        public var connectionsPerClient = 64
        /// The maximum number of resumable uploads (tus or IETF draft) that the receiver remembers. Finished and
        /// removed uploads count, too, until they expire or make room for new ones.
        public var uploads = 10_000
        /// The maximum number of unfinished resumable uploads of one client address. At the maximum, a new upload
        /// replaces an upload of the same client that has no bytes and that no request uses. If the client has no such
        /// upload, the request is refused with 503.
        public var uploadsPerClient = 1_000
        /// The longest time from accepting a connection to the end of its first request head, including a TLS
        /// handshake.
        public var headerTime = Duration.seconds(10)
        /// The maximum time for which the receiver waits for the client, either to send more of a request or a next
        /// one, or to read more of a response. Then the receiver closes the connection.
        public var idleTime = Duration.seconds(60)
        /// The minimum rate at which a client sends the content of a request, in bytes per second. A slower request is
        /// refused with 408. Apache's `mod_reqtimeout` requires 500 bytes per second. With 100, one slow mobile link
        /// can carry several uploads.
        public var leastBytesPerSecond = 100
        /// The time over which the rate is averaged for `leastBytesPerSecond`. Only the time in which the receiver
        /// waits for the client counts.
        public var slowTime = Duration.seconds(60)
        /// The maximum number of bytes that the receiver stores in total while it runs; nil for no limit. Unfinished
        /// uploads of an earlier run count, too. Each file and each new folder uses 4 KiB of the quota in addition to
        /// its content.
        public var quota: Int?
        /// The maximum number of bytes of all folder lists (`PROPFIND`) in memory. If a list would exceed the maximum,
        /// its request is refused with 503.
        public var listBytes = 64 << 20

        public init() {}
    }

    /// The folder for received files. If it is missing, the receiver creates it with access for its owner only.
    /// Unfinished uploads are in `.ferry` inside it.
    public var directory: String
    /// The name or address of this machine to listen on. `0.0.0.0` and `::` mean all addresses.
    public var host: String
    /// The port; 0 lets the system choose.
    public var port: Int
    /// The token that clients must send as `Authorization: Bearer TOKEN`, with at least 16 bytes in UTF-8. The value
    /// nil and an empty text mean no token. If `host` is not a loopback address, the receiver needs a token: set this
    /// one, or set `makesToken` to true.
    public var token: String?
    /// True to create a random token if none is given, and to store it in `.ferry/token` for the next start.
    public var makesToken = false
    /// The certificate and the key for TLS; nil for plain HTTP.
    public var tls: ReceiverTLS?
    /// The maximum number of bytes of one file or form; nil for no limit.
    public var maximumSize: Int?
    /// True to replace a file of the same name instead of storing `name (2)`.
    public var overwrite = false
    /// True to serve stored files with `GET /NAME`.
    public var allowDownload = false
    /// True to list a folder (`PROPFIND` with `Depth: 1`). If false, a client must know the name of a file to request
    /// its size, its time or its digest.
    public var allowListing = false
    /// The time for which the receiver remembers a resumable upload, finished or not, after the last request for it.
    /// The bytes of an unfinished upload are then removed.
    public var expiry = Duration.seconds(24 * 60 * 60)
    /// The limits that keep clients from exhausting the machine.
    public var limits = Limits()
    /// The limit in bytes per second for all uploads together, for example to slow down a demonstration; nil for no
    /// limit.
    public var bytesPerSecond: Int?
    /// The names of this machine that clients can use in the header field `Host`, in addition to `localhost`, `host`
    /// and IP addresses. Requests with other names are refused, to prevent DNS rebinding.
    public var allowedHosts: Set<String> = []

    public init(
        directory: String, host: String = "127.0.0.1", port: Int = 0, token: String? = nil,
        maximumSize: Int? = nil
    ) {
        self.directory = directory
        self.host = host
        self.port = port
        self.token = token
        self.maximumSize = maximumSize
    }
}
