/// The facts that an upload by WebDAV stores.
struct WebDAVMemory: ResumeForm {
    /// The intended name of the file, if a `MOVE` may have reached the server.
    var movedName: String?
    /// The version of the file before the `MOVE`; nil if there was none.
    var old: WebDAVVersion?
    /// The version of the file under its temporary name.
    var new: WebDAVVersion?
    /// The number of consecutive server errors about the temporary name.
    var refusedLooks = 0
    /// The URL of an earlier temporary file, to be deleted when the upload is done.
    var abandonedURL: String?
    /// The target of a `MOVE` that tests the server with the temporary file.
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

/// The form of a version: three entries. The first one always exists, without digits if the size is unknown.
extension WebDAVVersion? {
    fileprivate var storedSize: String? {
        get { map { $0.size.map { "\($0)" } ?? "" } }
        set { self = newValue.map { WebDAVVersion(FoundFile(size: ByteCount($0))) } }
    }
    fileprivate var storedTag: String? {
        get { self?.entityTag }
        set { self?.entityTag = newValue }
    }
    fileprivate var storedTime: String? {
        get { self?.modified }
        set { self?.modified = newValue }
    }
}
