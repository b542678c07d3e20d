public import FerryFiles
public import FerryProtocols

/// An upload that the queue no longer continues, for example because a user removed it. Its server possibly still
/// stores some of its bytes, which Ferry can delete.
public struct AbandonedUpload: Hashable, Sendable {
    /// The abandoned upload, with the state `queued` and without its counts of attempts. Its property `resource`
    /// identifies the bytes to delete on the server.
    public var upload: Upload
    /// The time from which Ferry is allowed to delete the bytes on the server. If a user undoes the removal of the
    /// upload before this time, the upload resumes with these bytes.
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
    /// The number of bytes that the server confirmed in the last attempt; nil if it confirmed none. The server possibly
    /// stores more or fewer bytes now.
    public var stored: ByteCount? { upload.confirmed > 0 ? upload.confirmed : nil }
    /// The time when the server deletes the bytes by itself; nil if the server stated no time.
    public var expires: Date? { upload.resource?.expires }
}
