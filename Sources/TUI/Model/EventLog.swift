import FerryUploads
import Foundation

/// Something that happened, as a line to read later.
struct LogEntry: Hashable, Sendable {
    enum Level: Int, Comparable, CaseIterable, Sendable {
        case information, warning, error

        /// As written: a level must not be told by its colour alone.
        var word: String {
            switch self {
            case .information: "info"
            case .warning: "warn"
            case .error: "ERROR"
            }
        }

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// Counts all entries from the first on, so that it names one while others come and go.
    let number: Int
    let date: Date
    let level: Level
    let text: String
    /// What it is about, to jump to.
    let upload: Upload.ID?
}

/// The newest entries, in the order in which they happened.
struct EventLog: Sendable {
    static let limit = 10_000
    /// How many more are kept before the oldest go, so that not each new one moves all of them.
    private static let slack = 1000

    private(set) var entries: [LogEntry] = []
    private var last = 0

    mutating func add(_ level: LogEntry.Level, _ text: String, date: Date, upload: Upload.ID? = nil) {
        last += 1
        entries.append(LogEntry(number: last, date: date, level: level, text: text, upload: upload))
        if entries.count > Self.limit + Self.slack { entries.removeFirst(entries.count - Self.limit) }
    }
}
