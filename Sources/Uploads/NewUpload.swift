public import FerryTransfer

/// A file to add to the upload queue, with the version to send and the target on the server.
public struct NewUpload: Hashable, Sendable {
    /// The path of the file. The path must be absolute, because the process that owns the queue and the command that
    /// adds the file can have different working directories.
    public var path: LocalPath
    /// The inode, size and times of the file when it was added. If the file has changed when it is sent, the upload
    /// stops by default, and waits for a user's decision (state `held`).
    public var identity: FileIdentity
    /// The destination, the protocol and the name on the server.
    public var target: Upload.Target
    /// The name of the batch, a named group of uploads, to which the upload belongs; nil if it belongs to no batch.
    public var batch: String?
    /// The condition for the start of the upload; nil if the upload can start at once. The condition can name the
    /// numbers of other uploads that must be done first, as ranges (`after`). The queue rejects the new upload if such
    /// a range contains no number of an upload in the queue.
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
