/// A message to the user that is not the reply to a command.
public struct Notice: Hashable, Codable, Sendable {
    /// The importance of a notice.
    public enum Kind: String, Codable, Sendable {
        /// Information about an event or a result.
        case note
        /// A setting or state that can do harm.
        case warning
    }

    /// The importance of the notice.
    public let kind: Kind
    /// The raw text: names and paths in it can contain control characters.
    public let text: String

    public init(kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }
}

/// A notice to the user, with the time at which it was made.
public struct DatedNotice: Hashable, Codable, Sendable {
    /// The wall-clock time at which the notice was made.
    public let date: Date
    /// The text and the importance of the notice.
    public let notice: Notice

    public init(_ notice: Notice, at date: Date) {
        self.notice = notice
        self.date = date
    }
}
