public import FerryProtocols

public import struct Foundation.Date

/// An upload that was given up, as long as its server may hold something of it.
public struct AbandonedUpload: Hashable, Codable, Sendable {
    /// As it was. Its resource says what there is to delete.
    public var upload: Upload
    /// From when on nobody can put it back.
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

    /// Where that is: no two of them have the same.
    public var url: String { upload.resource?.url ?? "" }
    /// Bytes that the server said it holds; nil if it has said so of none, which may be old.
    public var held: ByteCount? { upload.confirmed > 0 ? upload.confirmed : nil }
    /// When the server drops it by itself, if it said so.
    public var expires: Date? { upload.resource?.expires }
}
