import FerryUploads

/// A line of the log: one event.
struct LogEntry: Hashable, Sendable {
    /// The importance of an event, for the log and for toasts.
    enum Level: Comparable, CaseIterable, Sendable {
        case information, warning, error

        /// The word for the level in the log, so that the level is visible without colours.
        var word: String {
            switch self {
            case .information: "info"
            case .warning: "warn"
            case .error: "ERROR"
            }
        }

        func role(ofInformation role: Role) -> Role {
            switch self {
            case .information: role
            case .warning: .warning
            case .error: .failed
            }
        }
    }

    /// The serial number, which stays when older entries are dropped.
    let number: Int
    let date: Date
    let level: Level
    let text: String
    /// The upload that the entry is about, if it is about a single one.
    let upload: Upload.ID?
}

/// The log, from the oldest to the newest entry.
struct LogModel: Sendable {
    static let limit = 10_000
    /// The entries beyond `limit` before the oldest are removed, many at once.
    private static let slack = 1000

    private(set) var entries: [LogEntry] = []
    private var last = 0
    private var status = StatusDiff()

    mutating func add(_ level: LogEntry.Level, _ text: String, date: Date, upload: Upload.ID? = nil) {
        last += 1
        entries.append(LogEntry(number: last, date: date, level: level, text: text, upload: upload))
        if entries.count > Self.limit + Self.slack { entries.removeFirst(entries.count - Self.limit) }
    }

    mutating func add(_ event: UploadEvent) {
        guard let level = event.kind.level else { return }
        add(level, event.named, date: event.date, upload: event.upload.id)
    }

    mutating func take(_ status: EngineStatus, date: Date, zone: ZoneRules) {
        for change in self.status.take(status) {
            let sentence = change.sentence(at: date, in: zone)
            switch change {
            // The first line of the screen reports unreachable hosts, which this sentence would contradict.
            case .online where !status.unreachableHosts.isEmpty:
                add(.information, "the network is back", date: date)
            case .online, .storage(.saved, _), .contact(.here), .limit:
                add(.information, sentence, date: date)
            case .offline, .storage, .notice, .asked, .contact(.lost), .contact(.silent), .contact(.refused):
                add(.warning, sentence, date: date)
            case .happened(let dated):
                add(dated.notice.kind == .warning ? .warning : .information, sentence, date: dated.date)
            }
        }
    }
}

extension UploadEvent.Kind {
    /// The level in the log; nil for an event that the list shows, or that the reply to a command reports.
    fileprivate var level: LogEntry.Level? {
        switch self {
        case .added, .resumed, .queuedAgain, .began, .paused, .offline, .removed: nil
        case .continued, .done: .information
        case .waits, .held: .warning
        case .failed: .error
        }
    }
}
