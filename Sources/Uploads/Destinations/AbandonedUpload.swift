public import FerryFiles
public import FerryProtocols

/// An upload that was given up while its server may still store bytes of it.
public struct AbandonedUpload: Hashable, Sendable {
    /// The upload as it was. Its resource names what to delete.
    public var upload: Upload
    /// The time from which the removal cannot be undone.
    public var since: Date

    /// - Returns: nil for an upload of which the server stores nothing, or all.
    init?(_ upload: Upload, since: Date) {
        guard upload.resource != nil, !upload.isDone else { return nil }
        self.upload = upload
        // The last state of the upload says nothing about the bytes that are left.
        self.upload.state = .queued
        self.upload.tries = Upload.Tries()
        self.since = since
    }

    /// The URL of its resource. No two abandoned uploads share a URL.
    public var url: String { upload.resource?.url ?? "" }
    /// The bytes that the server has confirmed, which may be out of date; nil if it confirmed none.
    public var held: ByteCount? { upload.confirmed > 0 ? upload.confirmed : nil }
    /// The time when the server drops the bytes by itself, if the server named one.
    public var expires: Date? { upload.resource?.expires }
}
