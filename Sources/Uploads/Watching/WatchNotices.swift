/// Tells people what they should know of watched folders, each sentence once.
struct WatchNotices: Sendable {
    /// More sentences than these are not remembered, and may be told again.
    private static let capacity = 10_000

    /// Takes what a person should know.
    let tell: @Sendable (Notice) -> Void
    /// Takes what a person may want to look up.
    let log: @Sendable (String) -> Void
    private var told: Set<String> = []

    init(tell: @escaping @Sendable (Notice) -> Void, log: @escaping @Sendable (String) -> Void) {
        self.tell = tell
        self.log = log
    }

    mutating func once(_ text: String, _ kind: Notice.Kind = .note) {
        if told.count < Self.capacity, !told.insert(text).inserted { return }
        tell(Notice(kind: kind, text: text))
    }
}
