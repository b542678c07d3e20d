public import FerryTransfer

/// A file to add to the queue, with its target and its version.
public struct NewUpload: Hashable, Sendable {
    /// The path of the file. It must be absolute, because the engine can run in another working directory.
    public var path: LocalPath
    /// The version of the file to send. If the file has another version when it is sent, the upload is held by default.
    public var identity: FileIdentity
    /// The destination, the protocol and the name on the server.
    public var target: Upload.Target
    /// The name of the upload's batch; nil for none.
    public var batch: String?
    /// The condition for the start of the upload; nil if it can start at once. The queue rejects the upload if a range
    /// in the condition's `after` contains no upload of the queue.
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
