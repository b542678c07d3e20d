public import FerryTransfer

/// A file to add to the upload queue, with the version to send and the target on the server.
public struct NewUpload: Hashable, Sendable {
    /// The absolute path of the file. Processes can have different working directories.
    public var path: LocalPath
    /// The version of the file when it was added. If it has changed when it is sent, the upload is held by default.
    public var identity: FileIdentity
    /// The destination, the protocol and the name on the server.
    public var target: Upload.Target
    /// The name of the batch to which the upload belongs, if any.
    public var batch: String?
    /// The condition for the start of the upload. The queue rejects the upload if a range in `after` contains no number
    /// of an upload in the queue.
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
