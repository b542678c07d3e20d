/// The facts about a WebDAV upload that are stored on disk for a later attempt.
struct WebDAVMemory: ResumeForm {
    /// The final name of the file in a `MOVE` request that possibly reached the server. Nil if no such request was
    /// sent.
    var movedName: String?
    /// The version of the file that had the final name before the `MOVE`; nil if no file had this name.
    var old: WebDAVVersion?
    /// The version of the temporary file; nil if the server has not described it.
    var new: WebDAVVersion?
    /// The number of lookups of the temporary file that failed with status 423 or 500. A lookup that does not fail
    /// resets this number to 0.
    var refusedLooks = 0
    /// The URL of an earlier temporary file, which is deleted when the upload is done; nil if there is none.
    var abandonedURL: String?
    /// The URL with a second temporary name, to which a trial `MOVE` moves the temporary file. Nil if no trial is in
    /// progress. The trial shows whether the server moves files to the URL in the field `Destination`.
    var nextURL: String?

    static let keys: [ResumeKey<Self>] =
        [
            .init("name", \.movedName), .init("old", \.old.storedSize), .init("oldTag", \.old.storedTag),
            .init("oldTime", \.old.storedTime), .init("new", \.new.storedSize),
            .init("newTag", \.new.storedTag), .init("newTime", \.new.storedTime),
            .init("refused", \.refusedLooks), .init("abandoned", \.abandonedURL), .init("next", \.nextURL),
        ]
}

extension UploadResource {
    var webDAV: WebDAVMemory {
        get { self[WebDAVMemory.self] }
        set { self[WebDAVMemory.self] = newValue }
    }
}

/// The strings that store a version of a file on disk: its size, entity tag and time. The string for the size is empty
/// if the size is unknown. Without a string for the size, the stored version is nil.
extension WebDAVVersion? {
    var storedSize: String? {
        get { map { $0.size.map { "\($0)" } ?? "" } }
        set { self = newValue.map { WebDAVVersion(FoundFile(size: ByteCount($0))) } }
    }
    var storedTag: String? {
        get { self?.entityTag }
        set { self?.entityTag = newValue }
    }
    var storedTime: String? {
        get { self?.modified }
        set { self?.modified = newValue }
    }
}
