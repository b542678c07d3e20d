struct WebDAVMemory: ResumeForm {
    /// The final name of the file in a `MOVE` that possibly reached the server; nil if none was sent.
    var movedName: String?
    /// The version of the file that had the final name before the `MOVE`; nil if no file had this name.
    var old: WebDAVVersion?
    /// The version of the temporary file; nil if the server has not described it.
    var new: WebDAVVersion?
    /// The number of lookups of the temporary file in a row that failed with status 423 or 500.
    var refusedLooks = 0
    /// The URL of an earlier temporary file to delete when the upload is done.
    var abandonedURL: String?
    /// The target of a trial `MOVE` in progress: a second temporary name.
    var nextURL: String?

    static let keys: ResumeKeys<Self> = [
        .init("name", \.movedName), .init("old", \.old.storedSize), .init("oldTag", \.old.storedTag),
        .init("oldTime", \.old.storedTime), .init("new", \.new.storedSize), .init("newTag", \.new.storedTag),
        .init("newTime", \.new.storedTime), .init("refused", \.refusedLooks),
        .init("abandoned", \.abandonedURL), .init("next", \.nextURL),
    ]
}

extension UploadResource {
    var webDAV: WebDAVMemory {
        get { self[WebDAVMemory.self] }
        set { self[WebDAVMemory.self] = newValue }
    }
}

/// The strings that store a version. That of an unknown size is empty; without one, the stored version is nil.
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
