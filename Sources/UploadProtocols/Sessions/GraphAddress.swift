import Foundation

/// What a destination's address says about Microsoft Graph's upload sessions.
struct GraphAddress: Sendable {
    /// Absolute: of a session to be made, `…/root:/folder/{name}:/createUploadSession`, or of one that was made.
    let url: String

    /// True for the address of a session that somebody has made: whoever has it may upload one file.
    var isSession: Bool { !UploadAddress.withoutQuery(url).hasSuffix(Self.creation) }

    /// Where a session for a file of this name is made.
    func session(for name: String) -> String { UploadAddress.filled(url, with: name) }

    /// Where a whole file of this name goes in one request; only for an address of a session to be made.
    func content(of name: String, policy: String?) -> String {
        let filled = UploadAddress.filled(url, with: name)
        let place = UploadAddress.withoutQuery(filled)
        let content = place.dropLast(Self.creation.count) + "/content" + filled.dropFirst(place.count)
        guard let policy else { return String(content) }
        return AddressQuery.adding([("@microsoft.graph.conflictBehavior", policy)], to: String(content))
    }

    /// Where Graph tells about a file of this name; only for an address of a session to be made.
    func item(named name: String) -> String {
        let place = UploadAddress.withoutQuery(UploadAddress.filled(url, with: name)).dropLast(
            Self.creation.count)
        return String(place.last == ":" ? place.dropLast() : place)
    }

    /// What Graph calls the drive of the address: `https://graph.microsoft.com/v1.0/me/drive`; nil if it names none.
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
