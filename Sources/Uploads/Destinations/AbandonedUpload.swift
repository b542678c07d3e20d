public import FerryFiles
public import FerryProtocols

/// An upload that was given up, as long as its server may hold something of it.
public struct AbandonedUpload: Hashable, Sendable {
    /// The upload as it was. Its resource says what there is to delete.
    public var upload: Upload
    /// The time from which nobody can put it back.
    public var since: Date

    /// - Returns: nil for one of which the server holds nothing, or all.
    init?(_ upload: Upload, since: Date) {
        guard upload.resource != nil, !upload.isDone else { return nil }
        self.upload = upload
        // What happened to it says nothing of what is left.
        self.upload.state = .queued
        self.upload.tries = Upload.Tries()
        self.since = since
    }

    /// The address of its resource: no two abandoned uploads have the same.
    public var url: String { upload.resource?.url ?? "" }
    /// Bytes that the server said it holds; nil if it has said so of none, which may be old.
    public var held: ByteCount? { upload.confirmed > 0 ? upload.confirmed : nil }
    /// The time when the server drops it by itself, if it said so.
    public var expires: Date? { upload.resource?.expires }
}
