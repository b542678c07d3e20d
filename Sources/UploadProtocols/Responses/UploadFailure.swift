public import FerryFiles

/// The reason why an upload could not continue, and what the user can do next, both in words for the user. Every layer
/// translates the errors of libraries to this type, which is stored with the upload in the queue's journal.
public struct UploadFailure: Error, Hashable, Codable, Sendable {
    /// The kinds of failure. Each one has its own consequence for the upload in the queue.
    public enum Category: String, Hashable, Codable, Sendable, CaseIterable {
        /// The network or the connection failed: refused, reset, name not found. The upload is retried.
        case network
        /// No byte was sent or received in time. The upload is retried, with fewer concurrent requests if this repeats.
        case timedOut
        /// The server cannot serve the request now: 408, 425, 429 and most of 5xx. The upload is retried.
        case server
        /// The credentials are missing, expired or refused: 401, 407. Or a captive portal possibly refused in place of
        /// a server that never responded before. The upload waits until the user acts.
        case authentication
        /// A retry cannot succeed: most of 4xx, bad certificate, unknown destination. The upload fails.
        case permanent
        /// The configuration has lost or changed the destination. The upload fails until the user corrects that.
        case destinationChanged
        /// The file changed while it was queued or sent. By configuration, the upload restarts or waits for the user.
        case sourceChanged
        /// The file cannot be read: gone, no permission, not a regular file. The upload fails.
        case sourceUnreadable
        /// The disk or network share of the file, or of a certificate, cannot be read now. The upload is retried.
        case sourceAway
        /// The whole body was sent, and it is unknown whether the server accepted it. By configuration, the upload is
        /// sent again, waits for the user or fails.
        case outcomeUnknown
        /// A file that Ferry writes for itself, usually in the state folder, cannot be written. The upload is retried.
        case storage
        /// No file descriptor is free. The upload is retried, without counting toward any limit on retries.
        case descriptors
        /// The connection's local address was removed. The upload is retried at once, without counting.
        case addressLost
        /// A captive portal certainly or possibly responded. The upload is retried, without counting.
        case signInPage
        /// The source of the credentials, such as a token server, is away or busy. The upload is retried. It is no
        /// failure of the server that receives the upload.
        case signInAway
        /// Another request uses the same upload on the server, most likely an earlier one of this client whose
        /// connection broke. The upload is retried within seconds, any number of times.
        case uploadLocked

        /// True if the network or the connection failed, or if no byte was sent or received in time.
        public var isOfNetwork: Bool { self == .network || self == .timedOut }
    }

    /// The problem behind the failure. Not an enum, because a newer version of Ferry can store other ones.
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
        /// The user may not read the file.
        public static let permission = Self(rawValue: "permission")

        /// The name of the problem in the files in which the queue is stored.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The kind of failure, which determines what the queue does.
    public var category: Category
    /// The problem in one sentence, without a full stop at the end.
    public var summary: String
    /// The next step for the user, such as a command or a setting; nil if there is none.
    public var hint: String?
    /// The HTTP status that caused the failure; nil if the failure has another cause.
    public var status: Int?
    /// The wait in seconds before a retry that the server requested or the protocol chose; otherwise nil.
    public var retryAfter: Double?
    /// The problem with the connection or the file; nil if it is unknown, or if the failure has another cause.
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

    /// True if all uploads to the server must wait: it sent 429 or 503 with a time (RFC 6585 §4, RFC 9110 §15.6.4).
    public var asksAllToWait: Bool {
        category == .server && (status == 429 || status == 503) && retryAfter ?? 0 > 0
    }

    /// True if the failure may be temporary, so that a later retry can succeed without an action of the user.
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

extension UploadFailure: CustomStringConvertible, LocalizedError {
    /// The summary, followed by the hint in parentheses if there is one.
    public var description: String { hint.map { "\(summary) (\($0))" } ?? summary }
    /// The summary, for callers that read a `LocalizedError`.
    public var errorDescription: String? { summary }
    /// The hint, for callers that read a `LocalizedError`.
    public var recoverySuggestion: String? { hint }
}
