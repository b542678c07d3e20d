/// The commands that change the queue and are being carried out, in the order of their arrival.
///
/// `undo` and `redo` first choose a change: the last one. The last change is known only once all earlier commands have
/// ended, so `undo` and `redo` wait for these commands. Commands that arrive after an `undo` or `redo` wait until it
/// has chosen its change.
struct CommandOrder {
    typealias Continuation = CheckedContinuation<Void, Never>

    enum Kind {
        /// The command changes the queue.
        case change
        /// The command has yet to choose the change that it undoes or redoes.
        case choice
    }

    private var last = 0
    private var underWay: [Int: Kind] = [:]
    private var waiting: [Int: Continuation] = [:]

    /// True if a command waits for an earlier one.
    var isAwaited: Bool { !waiting.isEmpty }

    /// Returns the number of a command that begins now. Later commands have higher numbers.
    mutating func begin(_ kind: Kind) -> Int {
        last += 1
        underWay[last] = kind
        return last
    }

    /// True if a command must wait for an earlier one.
    func mustWait(_ number: Int) -> Bool {
        let isChoice = underWay[number] == .choice
        return underWay.contains { $0.key < number && (isChoice || $0.value == .choice) }
    }

    /// Notes that a command waits.
    mutating func wait(_ number: Int, _ continuation: Continuation) { waiting[number] = continuation }

    /// Notes that a command has chosen its change, and carries it out from now on.
    ///
    /// - Returns: The continuations of the commands that need not wait any longer.
    mutating func chose(_ number: Int) -> [Continuation] {
        underWay[number] = .change
        return ready()
    }

    /// Notes that a command has ended.
    ///
    /// - Returns: The continuations of the commands that need not wait any longer.
    mutating func end(_ number: Int) -> [Continuation] {
        underWay[number] = nil
        return ready()
    }

    private mutating func ready() -> [Continuation] {
        guard isAwaited else { return [] }
        return waiting.keys.sorted().filter { !mustWait($0) }.compactMap { waiting.removeValue(forKey: $0) }
    }
}
