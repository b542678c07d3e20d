import FerryFiles

/// The URL of a destination for Microsoft Graph's upload sessions, and the other URLs that follow from it.
struct GraphAddress: Sendable {
    /// The absolute URL: one that creates sessions, `…/root:/folder/{name}:/createUploadSession`, or that of an
    /// existing session.
    let url: String

    /// True if the URL is that of an existing upload session, which accepts one file.
    var isSession: Bool { !UploadAddress.withoutQuery(url).hasSuffix(Self.creation) }

    /// Returns the URL at which an upload session for a file of this name is created.
    func session(for name: String) -> String { UploadAddress.filled(url, with: name) }

    /// Returns the URL to which a whole file is sent, with the policy in Graph's words. `isSession` must be false.
    func content(of name: String, policy: String?) -> String {
        let filled = UploadAddress.filled(url, with: name)
        let place = UploadAddress.withoutQuery(filled)
        let content = place.dropLast(Self.creation.count) + "/content" + filled.dropFirst(place.count)
        guard let policy else { return String(content) }
        return AddressQuery.adding([("@microsoft.graph.conflictBehavior", policy)], to: String(content))
    }

    /// Returns the URL of the metadata of the file with this name. `isSession` must be false.
    func item(named name: String) -> String {
        let place = UploadAddress.withoutQuery(UploadAddress.filled(url, with: name)).dropLast(
            Self.creation.count)
        return String(place.last == ":" ? place.dropLast() : place)
    }

    /// The URL of the drive in Graph: `https://graph.microsoft.com/v1.0/me/drive`; nil if the URL names none.
    var drive: String? {
        let place = UploadAddress.withoutQuery(url)
        guard !isSession else { return nil }
        if let found = place.firstRange(of: "/drive/") { return "\(place[..<found.lowerBound])/drive" }
        guard let found = place.firstRange(of: "/drives/") else { return nil }
        let id = place[found.upperBound...].prefix { $0 != "/" }
        return "\(place[..<found.upperBound])\(id)"
    }

    private static let creation = "/createUploadSession"
}
