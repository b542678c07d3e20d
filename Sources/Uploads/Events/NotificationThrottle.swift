import FerryProtocols

/// Converts events into one-line notifications, and limits how often a user is notified.
package struct NotificationThrottle: Sendable {
    /// The minimum number of seconds between two notifications. A notification about the event `idle` does not wait.
    private static let pause = 10.0

    package var events: Set<QueueEvent.Name>
    private var last = -Double.infinity

    package init(_ events: Set<QueueEvent.Name>) { self.events = events }

    /// Returns the text and the event of one notification: the last event in `happened` whose name is in `events`. If
    /// several have this name, the text gives their number.
    ///
    /// In the `pause` seconds after a notification, all events but `idle` are dropped. The text can contain control
    /// characters in file names; the code that shows it escapes them.
    ///
    /// - Parameter seconds: The time in seconds on a monotonic clock.
    package mutating func take(_ happened: [QueueEvent], at seconds: Double) -> (
        text: String, event: QueueEvent
    )? {
        let wanted = happened.filter { $0.name.map(events.contains) ?? false }
        guard let event = wanted.last, let name = event.name else { return nil }
        guard name == .idle || seconds >= last + Self.pause else { return nil }
        last = seconds
        let alike = wanted.count { $0.name == name }
        return (alike > 1 ? "\(alike) uploads \(name.rawValue)" : event.sentence, event)
    }
}

extension QueueEvent {
    fileprivate var sentence: String {
        switch self {
        case .upload(let event):
            event.outcome.map {
                "\(event.upload.target.name) \($0.rawValue)"
                    + (event.upload.state.ending.map { ": \($0.summary)" } ?? "")
            } ?? ""
        case .idle(let counts):
            Outcome.allCases.compactMap { outcome in counts[outcome].map { "\($0) \(outcome.rawValue)" } }
                .joined(separator: ", ")
        case .status(.offline(let reason)): "no network (\(reason))"
        case .status(.online): "the network is back"
        case .status(.storage(_, let failure)): failure?.summary ?? "changes are not saved"
        case .status: ""
        }
    }
}
