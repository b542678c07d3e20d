public import FerryTransfer

/// A file to be queued: the destination has been resolved, the file looked at.
public struct NewUpload: Hashable, Sendable {
    /// Absolute, for the engine may run elsewhere.
    public var path: LocalPath
    /// The version of the file to be sent: another one holds the upload.
    public var identity: FileIdentity
    /// The target.
    public var target: Upload.Target
    /// The name of the group it belongs to; nil for none.
    public var batch: String?
    /// The condition for its start; nil if it may start at once. Numbers that are not in the queue are refused.
    public var start: Upload.StartCondition?

    public init(
        path: LocalPath, identity: FileIdentity, target: Upload.Target, batch: String? = nil,
        start: Upload.StartCondition? = nil
    ) {
        self.path = path
        self.identity = identity
        self.target = target
        self.batch = batch
        self.start = start
    }
}
