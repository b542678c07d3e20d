public import FerryFiles
public import FerryProtocols

/// An upload that the queue no longer continues, although its server possibly still stores some of its bytes.
public struct AbandonedUpload: Hashable, Sendable {
    /// The upload, with the state `queued` and zero attempts. The bytes to delete are those of its upload resource.
    public var upload: Upload
    /// The time from which Ferry is allowed to delete the bytes on the server. If a user undoes the removal of the
    /// upload before this time, the upload resumes with these bytes.
    public var since: Date

    /// - Returns: nil for an upload without an upload resource on the server, and for an upload that is done.
    init?(_ upload: Upload, since: Date) {
        guard upload.resource != nil, !upload.isDone else { return nil }
        self.upload = upload
        // Deleting the bytes needs neither the last state nor the counts of the attempts.
        self.upload.state = .queued
        self.upload.tries = Upload.Tries()
        self.since = since
    }

    /// The URL of the upload resource, which identifies this entry.
    public var url: String { upload.resource?.url ?? "" }
    /// The number of bytes that the server last confirmed; nil for none. By now, the server possibly stores more or
    /// fewer.
    public var held: ByteCount? { upload.confirmed > 0 ? upload.confirmed : nil }
    /// The time when the server deletes the bytes by itself; nil if the server named none.
    public var expires: Date? { upload.resource?.expires }
}
