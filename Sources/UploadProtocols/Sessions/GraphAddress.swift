import FerryFiles

/// The URL of a destination for Microsoft Graph's upload sessions, and the URLs that are derived from it.
struct GraphAddress: Sendable {
    /// The absolute URL. It creates sessions (`…/root:/folder/{name}:/createUploadSession`), or it is that of an
    /// existing session.
    let url: String

    /// True if the URL is that of an existing upload session, which accepts one file.
    var isSession: Bool { !UploadAddress.withoutQuery(url).hasSuffix(Self.creation) }

    /// Returns the URL at which an upload session for a file of this name is created.
    func session(for name: String) -> String { UploadAddress.filled(url, with: name) }

    /// Returns the URL for sending a whole file in one request. `policy` is Graph's word for the policy for an existing
    /// file; nil uses Graph's default. `isSession` must be false.
    func content(of name: String, policy: String?) -> String {
        let filled = UploadAddress.filled(url, with: name)
        let base = UploadAddress.withoutQuery(filled)
        let content = base.dropLast(Self.creation.count) + "/content" + filled.dropFirst(base.count)
        guard let policy else { return String(content) }
        return AddressQuery.adding([("@microsoft.graph.conflictBehavior", policy)], to: String(content))
    }

    /// Returns the URL of the metadata of the file with this name. `isSession` must be false.
    func item(named name: String) -> String {
        let base = UploadAddress.withoutQuery(UploadAddress.filled(url, with: name)).dropLast(
            Self.creation.count)
        return String(base.last == ":" ? base.dropLast() : base)
    }

    /// The URL of the drive in Graph, such as `https://graph.microsoft.com/v1.0/me/drive`. Nil for the URL of a
    /// session, and for a URL that names no drive.
    var drive: String? {
        let base = UploadAddress.withoutQuery(url)
        guard !isSession else { return nil }
        if let found = base.firstRange(of: "/drive/") { return "\(base[..<found.lowerBound])/drive" }
        guard let found = base.firstRange(of: "/drives/") else { return nil }
        let id = base[found.upperBound...].prefix { $0 != "/" }
        return "\(base[..<found.upperBound])\(id)"
    }

    private static let creation = "/createUploadSession"
}
