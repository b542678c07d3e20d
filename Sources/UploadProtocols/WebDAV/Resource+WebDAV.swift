/// Kept with an upload whose `MOVE` may have reached the server.
extension Resource {
    private static let nameField = "name"

    /// Where the file was to be moved, if a `MOVE` may have reached the server.
    var movedName: String? { fields[Self.nameField] }
    var isMoving: Bool { movedName != nil }

    func moving(to name: String, old: WebDAVVersion? = nil, new: WebDAVVersion? = nil) -> Resource {
        var resource = self
        resource.fields[Self.nameField] = name
        resource.set(old, as: "old")
        resource.set(new, as: "new")
        return resource
    }

    /// What was at the place before the `MOVE`; nil if nothing was.
    var oldVersion: WebDAVVersion? { version("old") }
    /// The file as it was under its temporary name.
    var newVersion: WebDAVVersion? { version("new") }

    private mutating func set(_ version: WebDAVVersion?, as word: String) {
        fields[word] = version.map { $0.size.map { "\($0)" } ?? "" }
        fields[word + "Tag"] = version?.entityTag
        fields[word + "Time"] = version?.modified
    }

    private func version(_ word: String) -> WebDAVVersion? {
        guard let size = fields[word] else { return nil }
        return WebDAVVersion(
            FoundFile(
                size: ByteCount(size), entityTag: fields[word + "Tag"], modified: fields[word + "Time"]))
    }
}

/// Temporary names that an upload has left or is about to take.
extension Resource {
    private static let refusals = "refused"
    private static let abandoned = "abandoned"
    private static let next = "next"

    /// How often in a row the server failed when it was asked about the temporary name.
    var refusedLooks: Int {
        get { fields[Self.refusals].flatMap { Int($0) } ?? 0 }
        set { fields[Self.refusals] = newValue > 0 ? "\(newValue)" : nil }
    }

    /// The address of an earlier temporary file, to be deleted when the upload is done.
    var abandonedURL: String? {
        get { fields[Self.abandoned] }
        set { fields[Self.abandoned] = newValue }
    }

    /// Where a `MOVE` that tries the server out takes the temporary file.
    var nextURL: String? {
        get { fields[Self.next] }
        set { fields[Self.next] = newValue }
    }
}
