/// What a person should know without having asked.
struct Notice: Hashable, Sendable {
    enum Kind: String, Sendable {
        case note
        /// Something that the configuration allows and that may do harm.
        case warning
    }

    let kind: Kind
    let text: String

    /// Safe for a terminal.
    var line: String { "\(kind.rawValue): \(SafeLine.text(text))" }
}
