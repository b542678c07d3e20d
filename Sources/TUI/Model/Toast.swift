/// A short message on the screen about the most recent event or action.
struct Toast: Hashable, Sendable {
    var kind: LogEntry.Level
    var text: String
    var expires: Double
}

/// The visible toast, if any.
struct ToastModel: Sendable {
    private(set) var current: Toast?
    private(set) var endedAt = -Double.infinity

    mutating func say(_ kind: LogEntry.Level, _ text: String, now: Double) {
        current = Toast(kind: kind, text: text, expires: now + (kind == .information ? 5 : 12))
    }

    mutating func advance(to now: Double) {
        guard let current, now >= current.expires else { return }
        self.current = nil
        endedAt = now
    }

    mutating func clear() { current = nil }
}
