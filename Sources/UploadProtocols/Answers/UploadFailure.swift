/// The reason why an upload could not continue, in words for the user, and the next step.
///
/// Every layer translates the errors of libraries to this type. The failure is journaled with the upload.
public struct UploadFailure: Error, Hashable, Codable, Sendable {
    /// The consequence of the failure for the queue.
    public enum Category: String, Hashable, Codable, Sendable, CaseIterable {
        /// The link or the connection failed: refused, reset, name not found. The upload is retried.
        case network
        /// No byte was sent or received in time. The upload is retried, with fewer concurrent requests if this happens
        /// often.
        case timedOut
        /// The server cannot serve the request now: 408, 425, 429 and most of 5xx. The upload is retried.
        case server
        /// The credentials are missing, expired or refused: 401, 407. The user must act.
        case authentication
        /// A retry cannot succeed: most of 4xx, bad certificate, unknown destination.
        case permanent
        /// The configuration no longer has the destination of the upload, or the destination is on another server now.
        /// A change of the configuration can allow the upload again.
        case destinationChanged
        /// The file changed while it was queued or sent.
        case sourceChanged
        /// The file cannot be read: gone, no permission, not a regular file.
        case sourceUnreadable
        /// The disk or network share of the file cannot be read now. The upload is retried.
        case sourceAway
        /// The whole body was sent, but it is unknown whether the server accepted it: no response arrived, or one that
        /// is possibly a captive portal's. The protocol cannot ask the server for the outcome.
        case outcomeUnknown
        /// A file that Ferry itself needs cannot be written, usually in the state folder.
        case storage
        /// No file or socket can be opened until others are closed. The upload is retried, and the attempt does not
        /// count toward any limit on retries.
        case descriptors
        /// The connection's local address was removed from this machine. The upload is retried at once, and the attempt
        /// does not count toward any limit on retries.
        case addressLost
        /// A captive portal most likely responded instead of the server. The upload is retried, and the attempt does
        /// not count toward any limit on retries.
        case signInPage
        /// The source of the credentials is unreachable or busy. The upload is retried. The upload server is not
        /// treated as failing.
        case signInAway
        /// Another request uses the upload on the server, most likely an earlier one of this client on a broken
        /// connection. The upload is retried within seconds, any number of times.
        case uploadLocked

        /// True if the link or the connection failed, or timed out.
        public var isOfNetwork: Bool { self == .network || self == .timedOut }
    }

    /// The event on the connection that caused the failure. It is not an enum, because a journal may contain the event
    /// of a newer version.
    public struct Detail: RawRepresentable, Hashable, Codable, Sendable {
        /// The other side refused the connection.
        public static let refused = Self(rawValue: "refused")
        /// There is no route to the network or the host.
        public static let unreachable = Self(rawValue: "unreachable")
        /// The name of the host was not found.
        public static let nameNotFound = Self(rawValue: "nameNotFound")
        /// The other side reset the connection.
        public static let reset = Self(rawValue: "reset")
        /// The other side closed the connection.
        public static let closed = Self(rawValue: "closed")
        /// No byte arrived in time.
        public static let noResponse = Self(rawValue: "noResponse")
        /// The other side does not speak HTTP.
        public static let notHTTP = Self(rawValue: "notHTTP")
        /// The connection to the proxy failed.
        public static let proxy = Self(rawValue: "proxy")

        /// The name of the event in the files that store the queue.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of failure, which determines what the queue does.
    public var category: Category
    /// The problem in one sentence, without a full stop at the end.
    public var summary: String
    /// The next step for the user, such as a command or a setting; nil if there is none.
    public var hint: String?
    /// The HTTP status that caused the failure, if one did.
    public var status: Int?
    /// The wait in seconds that the server requested or the protocol chose; nil if neither did.
    public var retryAfter: Double?
    /// The event on the connection; nil if it is unknown, or if the failure has another cause.
    public var detail: Detail?

    public init(
        _ category: Category, _ summary: String, hint: String? = nil, status: Int? = nil,
        retryAfter: Double? = nil, detail: Detail? = nil
    ) {
        self.category = category
        self.summary = summary
        self.hint = hint
        self.status = status
        self.retryAfter = retryAfter
        self.detail = detail
    }

    /// True if all uploads to the server must wait: it sent 429 or 503 and stated how long (RFC 6585 §4, RFC 9110
    /// §15.6.4).
    public var asksAllToWait: Bool {
        category == .server && (status == 429 || status == 503) && retryAfter ?? 0 > 0
    }

    /// True if the failure may be temporary. A later retry can then succeed without an action of the user.
    public var isTransient: Bool {
        switch category {
        case .network, .timedOut, .server, .sourceAway, .descriptors, .addressLost, .signInPage, .signInAway,
            .uploadLocked:
            true
        case .authentication, .permanent, .destinationChanged, .sourceChanged, .sourceUnreadable,
            .outcomeUnknown, .storage:
            false
        }
    }
}
