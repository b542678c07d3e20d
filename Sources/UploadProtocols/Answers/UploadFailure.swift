/// Why an upload could not go on, in the words the person reads, and what may be done about it.
///
/// Every layer translates foreign errors into this one value at its edge; it is journaled with the upload.
public struct UploadFailure: Error, Hashable, Codable, Sendable {
    /// What the failure means for the queue.
    public enum Category: String, Hashable, Codable, Sendable, CaseIterable {
        /// The link or the connection: refused, reset, stalled, name not found. Tried again.
        case network
        /// The server is there and says "not now": 408, 425, 429, 5xx. Tried again.
        case server
        /// The credentials are missing, expired or refused: 401, 407. A person must act.
        case authentication
        /// Trying again cannot help: 4xx, bad certificate, unknown destination.
        case permanent
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
    }

    /// Who can do something about it, and when.
    public var category: Category
    /// What went wrong, in one sentence without a final stop.
    public var summary: String
    /// What to do about it: a key, a command or a setting.
    public var hint: String?
    /// The HTTP status that said so, if one did.
    public var status: Int?
    /// How long the server asked to wait, in seconds.
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

    /// True if waiting and trying again may help without anybody doing anything.
    public var isTransient: Bool {
        switch category {
        case .network, .server, .sourceAway, .descriptors: true
        case .authentication, .permanent, .sourceChanged, .sourceUnreadable, .outcomeUnknown, .storage: false
        }
    }
}
