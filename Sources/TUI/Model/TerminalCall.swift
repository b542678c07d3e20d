import UploadProtocols
import Uploads

/// How a terminal calls the person who may look elsewhere, and what for.
public struct TerminalCall: Hashable, Sendable {
    /// What the terminal is sent.
    public enum Way: String, CaseIterable, Sendable {
        case none
        /// BEL: a sound, a flash or a mark, as the terminal has it.
        case bell
        /// OSC 9: a notification of the desktop, which some terminals make of it, over ssh too.
        case osc9
    }

    /// What the terminal is sent.
    public var way: Way
    /// What for.
    public var events: Set<QueueEvent.Name>

    public init(_ way: Way = .none, for events: Set<QueueEvent.Name> = [.idle, .failed, .held]) {
        self.way = way
        self.events = events
    }
}

extension Model {
    /// Seconds in which a person is called once, unless nothing is left to do.
    static let callPause = 10.0

    /// - Returns: The call, if there is something to call for.
    mutating func call(for update: QueueUpdate) -> [Effect] {
        guard terminalCall.way != .none else { return [] }
        let events = queueWatch.take(update).filter { terminalCall.events.contains($0.name) }
        guard let last = events.last else { return [] }
        let isIdle = last.name == .idle
        guard isIdle || clock.seconds >= lastCall + Self.callPause else { return [] }
        lastCall = clock.seconds
        let alike = events.count { $0.name == last.name }
        let sentence = alike > 1 ? "\(alike) uploads \(last.name.rawValue)" : last.sentence
        return [.call(terminalCall.way, String(SafeText("Ferry: \(sentence)").text.prefix(200)))]
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
