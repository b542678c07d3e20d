public import FerryProtocols

/// An upload that the queue no longer continues, and whose bytes its server possibly still stores.
public struct AbandonedUpload: Hashable, Sendable {
    /// The upload as `queued`, without its counts of attempts. Its `resource` identifies the bytes to delete.
    public var upload: Upload
    /// The time from which Ferry may delete the bytes. Until then, an undo of the removal resumes with these bytes.
    public var since: Date

    /// Returns nil if the upload is done, or if it has no `resource`, which identifies its bytes on the server.
    init?(_ upload: Upload, since: Date) {
        guard upload.resource != nil, !upload.isDone else { return nil }
        self.upload = upload
        // Deleting the bytes needs neither the last state nor the counts of the attempts.
        self.upload.state = .queued
        self.upload.tries = Upload.Tries()
        self.since = since
    }

    /// The URL of the unfinished upload on the server. Each entry in the list of abandoned uploads has a different URL.
    public var url: String { upload.resource?.url ?? "" }
    /// The number of bytes that the server confirmed in the last attempt; nil if it confirmed none.
    public var stored: ByteCount? { upload.confirmed > 0 ? upload.confirmed : nil }
    /// The time when the server deletes the bytes by itself; nil if the server stated no time.
    public var expires: Date? { upload.resource?.expires }
}
