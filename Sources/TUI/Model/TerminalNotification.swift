package import FerryUploads

/// Decides which events the terminal reports to a user who is possibly looking at another window.
package struct TerminalNotification: Sendable {
    /// The control sequence with which the terminal notifies the user.
    package enum Signal: String, CaseIterable, Sendable {
        case none
        /// BEL: the terminal makes a sound, a flash or a mark.
        case bell
        /// OSC 9: some terminals turn it into a desktop notification, also over ssh.
        case osc9
    }

    /// The maximum number of characters of a notification, after the prefix `Ferry: `.
    private static let longest = 200

    private let signal: Signal
    private var throttle: NotificationThrottle
    private var detector = QueueEventDetector()

    package init(_ signal: Signal = .none, for events: Set<QueueEvent.Name> = []) {
        self.signal = signal
        throttle = NotificationThrottle(events)
    }

    mutating func effects(of update: QueueUpdate, at seconds: Double) -> [Effect] {
        guard signal != .none,
            let (text, _) = throttle.take(detector.take(update), at: seconds)
        else { return [] }
        return [.notify(signal, "Ferry: \(SafeText(text).text.prefix(Self.longest))")]
    }
}
