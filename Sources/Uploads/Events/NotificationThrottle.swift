import FerryProtocols

/// Converts events into one-line notifications, and limits how often a user is notified.
package struct NotificationThrottle: Sendable {
    /// The minimum number of seconds between two notifications. Only `idle` is reported sooner.
    private static let pause = 10.0

    /// The events that cause a notification.
    package var events: Set<QueueEvent.Name>
    private var last = -Double.infinity

    package init(_ events: Set<QueueEvent.Name>) { self.events = events }

    /// Returns the text of one notification, and the event that it is about: the last event in `happened` whose name is
    /// in `events`. If several events have the same name as this one, the text gives their number.
    ///
    /// Returns nil if there is no such event, or if the last notification was less than `pause` seconds ago; the events
    /// are then dropped. The pause does not apply if the event is `idle`.
    ///
    /// The text can contain a file name with control characters; the code that shows the text escapes them.
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
    /// The event in a few words; empty for an event without a name.
    fileprivate var sentence: String {
        switch self {
        case .upload(let event):
            event.outcome.map {
                "\(event.upload.target.name) \($0.rawValue)" + Self.reason(event.upload.state)
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

    private static func reason(_ state: Upload.State) -> String {
        switch state {
        case .held(let failure), .failed(let failure): ": \(failure.summary)"
        case .queued, .running, .waiting, .paused, .done: ""
        }
    }
}
