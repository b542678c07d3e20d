import FerryProtocols

/// A media type without parameters, such as `text/html`. As in `Accept`, `*` stands for any type or subtype (RFC 9110
/// §12.5.1).
struct MediaRange: Hashable, Sendable {
    let type: String
    let subtype: String

    /// - Returns: The range; nil for anything that is not `type/subtype`.
    init?(_ text: some StringProtocol) {
        let essence = String(text.prefix { $0 != ";" }).filter { !$0.isWhitespace }.lowercased()
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        type = String(parts[0])
        subtype = String(parts[1])
    }

    /// Returns the media ranges of a comma-separated list, such as the value of `Accept`. Invalid items are left out.
    static func list(_ text: String) -> [MediaRange] {
        text.split(separator: ",").compactMap { MediaRange($0) }
    }

    func accepts(_ other: MediaRange) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }

    var text: String { "\(type)/\(subtype)" }
}
