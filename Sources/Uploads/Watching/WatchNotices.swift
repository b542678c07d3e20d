/// A sender of notices about watched folders.
struct WatchNotices: Sendable {
    /// The maximum number of texts that `once` remembers, to send them only once.
    private static let capacity = 10_000

    let tell: @Sendable (Notice) -> Void
    let log: @Sendable (String) -> Void
    var reported: Set<String> = []

    mutating func once(_ text: String, _ kind: Notice.Kind = .note) {
        if reported.contains(text) { return }
        if reported.count < Self.capacity { reported.insert(text) }
        tell(Notice(kind: kind, text: text))
    }
}
