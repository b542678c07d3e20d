import FerryProtocols
import FerryUploads

/// Makes one line of what a person is to be called for, and not too many of them.
public struct CallDigest: Sendable {
    /// Seconds in which a person is called once, unless nothing is left to do.
    static let pause = 10.0
    /// Characters.
    private static let longest = 200

    /// What for.
    public var events: Set<QueueEvent.Name>
    private var last = -Double.infinity

    public init(_ events: Set<QueueEvent.Name>) { self.events = events }

    /// - Parameter seconds: On a clock that never jumps.
    /// - Returns: What to say, without control characters, and the last of the events that it is about.
    public mutating func take(_ happened: [QueueEvent], at seconds: Double) -> (
        text: String, event: QueueEvent
    )? {
        let wanted = happened.filter { events.contains($0.name) }
        guard let event = wanted.last, event.name == .idle || seconds >= last + Self.pause else { return nil }
        last = seconds
        let alike = wanted.count { $0.name == event.name }
        let sentence = alike > 1 ? "\(alike) uploads \(event.name.rawValue)" : event.sentence
        return (String(SafeText(sentence).text.prefix(Self.longest)), event)
    }
}

extension QueueEvent {
    /// In a few words.
    var sentence: String {
        switch self {
        case .ended(let outcome, let upload):
            "\(upload.target.name) \(outcome.rawValue)" + Self.reason(upload.state)
        case .idle(let counts):
            Outcome.allCases.compactMap { outcome in counts[outcome].map { "\($0) \(outcome.rawValue)" } }
                .joined(separator: ", ")
        case .offline(let reason): "no network (\(reason))"
        case .online: "the network is back"
        case .notSaved(let failure): failure?.summary ?? "changes are not saved"
        }
    }

    private static func reason(_ state: Upload.State) -> String {
        switch state {
        case .held(let failure), .failed(let failure): ": \(failure.summary)"
        case .queued, .running, .waiting, .paused, .done: ""
        }
    }
}
