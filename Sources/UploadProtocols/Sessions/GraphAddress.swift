import FerryFiles

/// The absolute URL of a destination that uses Microsoft Graph's upload sessions, and other URLs that are made from it.
struct GraphAddress: Sendable {
    /// The URL that creates sessions (`…/root:/folder/{name}:/createUploadSession`) or belongs to an existing one.
    let url: String

    /// True if the URL belongs to an existing upload session, which accepts one file.
    var isSession: Bool { !UploadAddress.withoutQuery(url).hasSuffix(Self.creation) }

    /// Returns the URL that creates an upload session for a file with the name `name`.
    func session(for name: String) -> String { UploadAddress.filled(url, with: name) }

    /// Returns the URL for sending a whole file in one request. `isSession` must be false.
    ///
    /// - Parameter policy: The policy for an existing file: `replace`, `rename` or `fail`. Nil means Graph's default.
    func content(of name: String, policy: String?) -> String {
        let filled = UploadAddress.filled(url, with: name)
        let base = UploadAddress.withoutQuery(filled)
        let content = base.dropLast(Self.creation.count) + "/content" + filled.dropFirst(base.count)
        guard let policy else { return String(content) }
        return AddressQuery.adding([("@microsoft.graph.conflictBehavior", policy)], to: String(content))
    }

    /// Returns the URL for the metadata of a file with the name `name`. `isSession` must be false.
    func item(named name: String) -> String {
        let base = UploadAddress.withoutQuery(UploadAddress.filled(url, with: name)).dropLast(
            Self.creation.count)
        return String(base.last == ":" ? base.dropLast() : base)
    }

    /// The URL of the drive in Graph, such as `https://graph.microsoft.com/v1.0/me/drive`; nil if the URL names none.
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
