/// The notices about watched folders that users should know. `once` reports each text only once.
struct WatchNotices: Sendable {
    /// The maximum number of remembered texts. Further texts are not remembered, and may be reported several times.
    private static let capacity = 10_000

    /// Receives notices that the user should know.
    let tell: @Sendable (Notice) -> Void
    /// Receives lines that the user may want to look up.
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
