import FerryUploads

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
    /// - Returns: The call, if there is something to call for.
    mutating func call(for update: QueueUpdate) -> [Effect] {
        guard terminalCall.way != .none else { return [] }
        callDigest.events = terminalCall.events
        guard let call = callDigest.take(queueWatch.take(update), at: clock.seconds) else { return [] }
        return [.call(terminalCall.way, "Ferry: \(call.text)")]
    }
}
