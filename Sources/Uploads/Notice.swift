public import struct Foundation.Date

/// What a person should know without having asked.
public struct Notice: Hashable, Codable, Sendable {
    /// How much it matters.
    public enum Kind: String, Codable, Sendable {
        /// Something to know.
        case note
        /// Something that may do harm.
        case warning
    }

    /// How much it matters.
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
    /// By the clock that there was then.
    public let date: Date
    /// What came.
    public let notice: Notice

    public init(_ notice: Notice, at date: Date) {
        self.notice = notice
        self.date = date
    }
}
