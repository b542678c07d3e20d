/// The settings of a receiver: its address, its folder and its limits.
public struct ReceiverConfiguration: Sendable {
    /// The limits that keep clients from exhausting the machine.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of open connections. At the maximum, a new connection closes one that has made no
        /// authorized request. If there is no such connection, the new one waits until a connection closes.
        public var connections = 256
        /// The maximum number of open connections of one client address. At the maximum, a new connection closes one of
        /// the same client that has made no authorized request. If the client has no such connection, the new one is
        /// refused.
        ///
        /// All loopback addresses are one client. Without a token, every valid request is authorized.
        ///
        /// The default is a quarter of all connections, so that no single client excludes the others. A client needs
        /// far fewer: by default Ferry opens 4 to a host, rclone 8, and a browser 6.
        public var connectionsPerClient = 64
        /// The maximum number of upload resources (tus and IETF) that are remembered at once, including finished and
        /// removed ones.
        public var uploads = 10_000
        /// The maximum number of unfinished upload resources of one client address. Beyond it, a new resource replaces
        /// the client's oldest one without bytes. If none can be replaced, the request is refused with 503.
        public var uploadsPerClient = 1_000
        /// The longest time from accepting a connection to the end of its first request head, including a TLS
        /// handshake.
        public var headerTime = Duration.seconds(10)
        /// The longest time without a byte, inside a request or between two requests. It also limits the time from a
        /// response to the end of the next request head.
        public var idleTime = Duration.seconds(60)
        /// The minimum rate of a request's content in bytes per second, averaged over `slowTime`. Apache's
        /// `mod_reqtimeout` requires 500; 100 allows several uploads over one bad mobile link.
        public var leastBytesPerSecond = 100
        /// The length of time over which the rate of the content is averaged. Only time spent waiting for the client
        /// counts.
        public var slowTime = Duration.seconds(60)
        /// The maximum number of bytes that the receiver stores in total while it runs, including unfinished uploads
        /// found at the start; nil for no limit. Each file and each new folder counts 4 KiB besides its content.
        public var quota: Int?
        /// The maximum number of bytes of all lists of folders (`PROPFIND`) that are being made or sent. Beyond it, a
        /// list is refused with 503.
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
    /// The token that clients must send as `Authorization: Bearer TOKEN`; at least 16 bytes in UTF-8. Needed if
    /// `makesToken` is false and `host` is not a loopback address.
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
    /// The time for which the receiver keeps an upload resource, finished or not, after the last request for it.
    public var expiry = Duration.seconds(24 * 60 * 60)
    /// The limits that keep clients from exhausting the machine.
    public var limits = Limits()
    /// The limit in bytes per second for all uploads together, for example to slow down a demonstration; nil for no
    /// limit.
    public var bytesPerSecond: Int?
    /// The names of this machine that clients may use in `Host`, besides `localhost`, `host` and IP addresses.
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
