public import FerryTransfer

/// A file to be queued. Its destination is resolved and its version is known.
public struct NewUpload: Hashable, Sendable {
    /// The absolute path, as the engine may run in another folder.
    public var path: LocalPath
    /// The version of the file to be sent. Another version holds the upload.
    public var identity: FileIdentity
    /// The target.
    public var target: Upload.Target
    /// The name of the group it belongs to; nil for none.
    public var batch: String?
    /// The condition for its start; nil if it may start at once. Numbers that are not in the queue are rejected.
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
