/// The facts that an upload by WebDAV stores between attempts.
struct WebDAVMemory: ResumeForm {
    /// The final name in a `MOVE` that may have reached the server; nil if no `MOVE` was sent.
    var movedName: String?
    /// The version of the file under the final name before the `MOVE`; nil if there was no file.
    var old: WebDAVVersion?
    /// The version of the file under its temporary name.
    var new: WebDAVVersion?
    /// The number of consecutive lookups of the temporary name that failed with a server error or a lock.
    var refusedLooks = 0
    /// The URL of an earlier temporary file, which is deleted when the upload is done; nil if there is none.
    var abandonedURL: String?
    /// The target of a trial `MOVE` of the temporary file: the next temporary URL. The trial shows whether the server
    /// moves files to the URL in `Destination`. Nil if no trial is in progress.
    var nextURL: String?

    static var keys: [ResumeKey<Self>] {
        [
            .init("name", \.movedName), .init("old", \.old.storedSize), .init("oldTag", \.old.storedTag),
            .init("oldTime", \.old.storedTime), .init("new", \.new.storedSize),
            .init("newTag", \.new.storedTag), .init("newTime", \.new.storedTime),
            .init("refused", \.refusedLooks), .init("abandoned", \.abandonedURL), .init("next", \.nextURL),
        ]
    }
}

extension UploadResource {
    var webDAV: WebDAVMemory {
        get { self[WebDAVMemory.self] }
        set { self[WebDAVMemory.self] = newValue }
    }
}

/// The stored strings of a version: its size, entity tag and time. Every version has a string for its size, which is
/// empty if the size is unknown. Without that string, there is no version.
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
