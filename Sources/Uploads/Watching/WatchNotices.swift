/// A sender of notices about watched folders. `once` sends each text only once.
struct WatchNotices: Sendable {
    /// The maximum number of remembered texts. Further texts are not remembered, so `once` can send them several times.
    private static let capacity = 10_000

    /// Shows a notice to the user.
    let tell: @Sendable (Notice) -> Void
    /// Adds a line to the log.
    let log: @Sendable (String) -> Void
    private var reported: Set<String> = []

    init(tell: @escaping @Sendable (Notice) -> Void, log: @escaping @Sendable (String) -> Void) {
        self.tell = tell
        self.log = log
    }

    mutating func once(_ text: String, _ kind: Notice.Kind = .note) {
        if reported.contains(text) { return }
        if reported.count < Self.capacity { reported.insert(text) }
        tell(Notice(kind: kind, text: text))
    }
}
