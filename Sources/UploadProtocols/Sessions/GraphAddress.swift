import FerryFiles

/// The facts in a destination's address about Microsoft Graph's upload sessions.
struct GraphAddress: Sendable {
    /// Absolute: of a session to be made, `…/root:/folder/{name}:/createUploadSession`, or of one that was made.
    let url: String

    /// True for the address of a session that somebody has made: whoever has it may upload one file.
    var isSession: Bool { !UploadAddress.withoutQuery(url).hasSuffix(Self.creation) }

    /// The address at which a session for a file of this name is created.
    func session(for name: String) -> String { UploadAddress.filled(url, with: name) }

    /// The address for a whole file of this name in one request; only for an address that creates sessions.
    func content(of name: String, policy: String?) -> String {
        let filled = UploadAddress.filled(url, with: name)
        let place = UploadAddress.withoutQuery(filled)
        let content = place.dropLast(Self.creation.count) + "/content" + filled.dropFirst(place.count)
        guard let policy else { return String(content) }
        return AddressQuery.adding([("@microsoft.graph.conflictBehavior", policy)], to: String(content))
    }

    /// The address of a file's metadata; only for an address that creates sessions.
    func item(named name: String) -> String {
        let place = UploadAddress.withoutQuery(UploadAddress.filled(url, with: name)).dropLast(
            Self.creation.count)
        return String(place.last == ":" ? place.dropLast() : place)
    }

    /// The drive of the address in Graph: `https://graph.microsoft.com/v1.0/me/drive`; nil if it names none.
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
