/// The reason why an upload could not continue, in words for the user, and the next step.
///
/// Every layer translates foreign errors into this one value at its edge; it is journaled with the upload.
public struct UploadFailure: Error, Hashable, Codable, Sendable {
    /// The consequence of the failure for the queue.
    public enum Category: String, Hashable, Codable, Sendable, CaseIterable {
        /// The link or the connection: refused, reset, stalled, name not found. Tried again.
        case network
        /// No byte got through or came back in time. The upload is retried, with fewer at a time if this happens often.
        case timedOut
        /// The server is there and says "not now": 408, 425, 429, 5xx. Tried again.
        case server
        /// The credentials are missing, expired or refused: 401, 407. A person must act.
        case authentication
        /// Trying again cannot help: 4xx, bad certificate, unknown destination.
        case permanent
        /// The configuration does not have the destination that the upload was queued for, or has it at another
        /// server. Another configuration may let it go.
        case destinationChanged
        /// The file changed while it was queued or sent.
        case sourceChanged
        /// The file cannot be read: gone, no permission, not a regular file.
        case sourceUnreadable
        /// The disk or network share that the file is on does not let it be read now. Tried again.
        case sourceAway
        /// The whole body went out, no answer came, and the protocol has no way to ask.
        case outcomeUnknown
        /// The state folder cannot be written.
        case storage
        /// No file or socket can be opened until others are closed. Tried again, and no fault of the upload's.
        case descriptors
        /// The connection's local address was removed from this machine. The upload is retried at once, without using
        /// up a try.
        case addressLost
        /// A captive portal most likely answers in the server's place. The upload is retried without using up a try.
        case signInPage
        /// The source of credentials cannot be reached, or is busy. The upload is retried, and its server is not
        /// blamed.
        case signInAway
        /// Another request has the upload at the server, most likely an earlier one of ours on a connection that broke.
        /// Tried again within seconds, and no fault of the upload's.
        case uploadLocked

        /// True if the link or the connection failed, in time or not.
        public var isOfNetwork: Bool { self == .network || self == .timedOut }
    }

    /// The kind of failure, which says who can act on it and when.
    public var category: Category
    /// The problem in one sentence without a final stop.
    public var summary: String
    /// The next step: a key, a command or a setting.
    public var hint: String?
    /// The HTTP status that said so, if one did.
    public var status: Int?
    /// The wait that the server asked for, in seconds.
    public var retryAfter: Double?

    public init(
        _ category: Category, _ summary: String, hint: String? = nil, status: Int? = nil,
        retryAfter: Double? = nil
    ) {
        self.category = category
        self.summary = summary
        self.hint = hint
        self.status = status
        self.retryAfter = retryAfter
    }

    /// True if the server is busy, for all, and says for how long (RFC 6585 §4, RFC 9110 §15.6.4).
    public var asksAllToWait: Bool {
        category == .server && (status == 429 || status == 503) && retryAfter ?? 0 > 0
    }

    /// True if waiting and trying again may help without anybody doing anything.
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
