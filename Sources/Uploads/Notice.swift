public import FerryFiles

/// A notice for a person who has not asked.
public struct Notice: Hashable, Codable, Sendable {
    /// The weight of a notice.
    public enum Kind: String, Codable, Sendable {
        /// A fact to know.
        case note
        /// A setting or state that may do harm.
        case warning
    }

    /// The weight.
    public let kind: Kind
    /// Raw: names and paths in it may hold anything.
    public let text: String

    public init(kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }
}

/// A notice and when it came.
public struct DatedNotice: Hashable, Codable, Sendable {
    /// The time by the clock that there was then.
    public let date: Date
    /// The notice.
    public let notice: Notice

    public init(_ notice: Notice, at date: Date) {
        self.notice = notice
        self.date = date
    }
}
