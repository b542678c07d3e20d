/// A short message on the screen about the most recent event or action. It disappears after a few seconds.
struct Toast: Hashable, Sendable {
    var kind: LogEntry.Level
    var text: String
    /// The time on the model's clock at which the toast disappears.
    var expires: Double

    init(_ kind: LogEntry.Level, _ text: String, now: Double) {
        self.kind = kind
        self.text = text
        expires = now + (kind == .information ? 5 : 12)
    }
}

/// The visible toast, if any.
struct ToastModel: Sendable {
    private(set) var current: Toast?
    /// The time on the clock at which a toast most recently expired.
    private(set) var endedAt = -Double.infinity

    mutating func say(_ kind: LogEntry.Level, _ text: String, now: Double) {
        current = Toast(kind, text, now: now)
    }

    mutating func advance(to now: Double) {
        guard let current, now >= current.expires else { return }
        self.current = nil
        endedAt = now
    }

    mutating func clear() { current = nil }
}
