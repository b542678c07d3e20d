/// The settings of a receiver: its address, its folder and its limits.
public struct ReceiverConfiguration: Sendable {
    /// The limits that keep one client, or many, from using the machine up.
    public struct Limits: Hashable, Sendable {
        /// Connections open at once; further ones wait until one closes.
        public var connections = 256
        /// Connections of one client address open at once; further ones are refused.
        ///
        /// A quarter of all, so that no single client keeps the others out, and many more than one needs: Ferry opens
        /// 4 to a host and rclone 8 unless told otherwise, and a browser 6.
        public var connectionsPerClient = 64
        /// tus resources remembered at once, finished ones included.
        public var uploads = 10_000
        /// Unfinished tus resources of one client address. Beyond that its oldest empty one makes room for a new one.
        public var uploadsPerClient = 1_000
        /// The longest time from accepting a connection to the end of its first request head, including a TLS handshake.
        public var headerTime = Duration.seconds(10)
        /// The longest time without a byte, inside a request or between two. It also bounds the time from a response to the
        /// end of the next request head.
        public var idleTime = Duration.seconds(60)
        /// Bytes a second that a request's content must bring, averaged over `slowTime`. Apache's `mod_reqtimeout` asks
        /// for 500; this leaves room for several uploads over one bad mobile link.
        public var leastBytesPerSecond = 100
        /// The time spent waiting for a client before its rate counts.
        public var slowTime = Duration.seconds(60)
        /// Bytes this receiver may take in all while it runs, unfinished uploads found at start included.
        public var quota: Int?

        public init() {}
    }

    /// A folder, which is made for its owner alone if it is missing. Unfinished uploads live in `.ferry` inside it.
    public var directory: String
    /// A name or an address of this machine to listen on. `0.0.0.0` and `::` are all of them.
    public var host: String
    /// 0 lets the system choose.
    public var port: Int
    /// Clients must send it as `Authorization: Bearer TOKEN`; at least 16 characters. Needed for any address but
    /// loopback.
    public var token: String?
    /// Makes a random token if none is given, and keeps it in `.ferry/token` for the next start.
    public var makesToken = false
    /// The certificate and the key with which the receiver speaks TLS; nil for plain HTTP.
    public var tls: ReceiverTLS?
    /// Bytes of one file or form; nil for no limit.
    public var maximumSize: Int?
    /// Replaces a file of the same name instead of storing `name (2)`.
    public var overwrite = false
    /// Answers `GET /NAME` with the stored file.
    public var allowDownload = false
    /// Tells what is in a folder (`PROPFIND` with `Depth: 1`). Without it a client can only ask for the size, the time and
    /// the digest of one file whose name it knows.
    public var allowListing = false
    /// The time for which a tus resource is kept after its last byte, finished or not.
    public var expiry = Duration.seconds(24 * 60 * 60)
    /// The limits on what clients use up.
    public var limits = Limits()
    /// Bytes a second over all uploads together, so that a person can watch; nil for as fast as it goes.
    public var bytesPerSecond: Int?
    /// Names for this machine that clients may use in `Host`, beside `localhost`, `host` and IP addresses.
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
