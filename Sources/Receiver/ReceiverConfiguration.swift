/// The settings of a receiver: its address, its folder and its limits.
public struct ReceiverConfiguration: Sendable {
    /// The limits that keep clients from exhausting the machine.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of open connections. At the maximum, a new connection replaces one that has made no
        /// authorized request, or waits until one closes.
        public var connections = 256
        /// The maximum number of open connections of one client address. At the maximum, a new connection replaces one
        /// of the client that has made no authorized request, or is refused. All loopback addresses are one client.
        /// Without a token, every valid request is authorized.
        ///
        /// By default, Ferry opens 4 connections to a host, rclone 8, and a browser 6.
        public var connectionsPerClient = 64
        /// The maximum number of resumable uploads that the receiver remembers, including finished and removed ones.
        public var uploads = 10_000
        /// The maximum number of unfinished resumable uploads of one client address. At the maximum, a new upload
        /// replaces an unused one of the same client without bytes, or is refused with 503.
        public var uploadsPerClient = 1_000
        /// The maximum time from accepting a connection to the end of its first request head, with the TLS handshake.
        public var headerTime = Duration.seconds(10)
        /// The maximum time for which the receiver waits for a client to send or read more before it disconnects it.
        public var idleTime = Duration.seconds(60)
        /// The minimum rate of a request's content in bytes per second. A slower request is refused with 408. Apache's
        /// `mod_reqtimeout` requires 500. With 100, one slow mobile link can carry several uploads.
        public var leastBytesPerSecond = 100
        /// The time over which that rate is averaged. Only the time in which the receiver waits for the client counts.
        public var slowTime = Duration.seconds(60)
        /// The maximum number of bytes that the receiver stores in total while it runs, including unfinished uploads of
        /// an earlier run; nil for no limit. Each file and each new folder counts as 4 KiB more.
        public var quota: Int?
        /// The maximum number of bytes of all folder lists (`PROPFIND`) in memory. Others are refused with 503.
        public var listBytes = 64 << 20

        public init() {}
    }

    /// The folder for received files. If it is missing, it is created with access for its owner only. Unfinished
    /// uploads are in `.ferry` inside it.
    public var directory: String
    /// The name or address of this machine to listen on. `0.0.0.0` and `::` mean all addresses.
    public var host: String
    /// The port; 0 lets the system choose.
    public var port: Int
    /// The token of at least 16 bytes that clients must send as `Authorization: Bearer TOKEN`; nil or empty for none.
    /// Without one, `host` must be a loopback address or `makesToken` true.
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
    /// True to list a folder (`PROPFIND` with `Depth: 1`), and not only files whose name a client knows.
    public var allowListing = false
    /// The time for which a resumable upload, finished or not, is remembered after the last request for it. The bytes
    /// of an unfinished upload are then removed.
    public var expiry = Duration.seconds(24 * 60 * 60)
    /// The limits that keep clients from exhausting the machine.
    public var limits = Limits()
    /// The limit in bytes per second for all uploads together; nil for no limit.
    public var bytesPerSecond: Int?
    /// The names that clients can use in `Host` besides `localhost`, `host` and addresses, to prevent DNS rebinding.
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
