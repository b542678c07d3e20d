import FerryFiles

/// The facts in a destination's URL about Microsoft Graph's upload sessions.
struct GraphAddress: Sendable {
    /// The absolute URL: that of a session to create, `…/root:/folder/{name}:/createUploadSession`, or of an existing
    /// one.
    let url: String

    /// True for the URL of an existing upload session. The URL itself permits the upload of one file.
    var isSession: Bool { !UploadAddress.withoutQuery(url).hasSuffix(Self.creation) }

    /// Returns the URL at which an upload session for a file of this name is created.
    func session(for name: String) -> String { UploadAddress.filled(url, with: name) }

    /// Returns the URL for a whole file of this name in one request; only for a URL that creates sessions.
    func content(of name: String, policy: String?) -> String {
        let filled = UploadAddress.filled(url, with: name)
        let place = UploadAddress.withoutQuery(filled)
        let content = place.dropLast(Self.creation.count) + "/content" + filled.dropFirst(place.count)
        guard let policy else { return String(content) }
        return AddressQuery.adding([("@microsoft.graph.conflictBehavior", policy)], to: String(content))
    }

    /// Returns the URL of a file's metadata; only for a URL that creates sessions.
    func item(named name: String) -> String {
        let place = UploadAddress.withoutQuery(UploadAddress.filled(url, with: name)).dropLast(
            Self.creation.count)
        return String(place.last == ":" ? place.dropLast() : place)
    }

    /// The URL of the drive in Graph: `https://graph.microsoft.com/v1.0/me/drive`; nil if the address names none.
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
