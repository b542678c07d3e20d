/// The commands that change the queue and are being carried out, in the order of their arrival.
///
/// `undo` and `redo` choose a change: the last one. Which one that is, is known only once all earlier commands have
/// ended. So they wait for these, and later commands wait until the change is chosen.
struct CommandOrder {
    typealias Continuation = CheckedContinuation<Void, Never>

    private var last = 0
    private var underWay: Set<Int> = []
    /// The commands that have not chosen a change yet.
    private var choosing: Set<Int> = []
    private var waiting: [Int: Continuation] = [:]

    /// True if a command waits for an earlier one.
    var isAwaited: Bool { !waiting.isEmpty }

    /// Returns the number of a command that begins now. Later commands have higher numbers.
    ///
    /// - Parameter chooses: True for `undo` and `redo`.
    mutating func begin(chooses: Bool) -> Int {
        last += 1
        underWay.insert(last)
        if chooses { choosing.insert(last) }
        return last
    }

    /// True if a command must wait for an earlier one.
    func mustWait(_ number: Int) -> Bool {
        (choosing.contains(number) ? underWay : choosing).contains { $0 < number }
    }

    /// Notes that a command waits.
    mutating func wait(_ number: Int, _ continuation: Continuation) { waiting[number] = continuation }

    /// Notes that a command has chosen its change, and carries it out from now on.
    ///
    /// - Returns: The continuations of the commands that need not wait any longer.
    mutating func chose(_ number: Int) -> [Continuation] {
        choosing.remove(number)
        return ready()
    }

    /// Notes that a command has ended.
    ///
    /// - Returns: The continuations of the commands that need not wait any longer.
    mutating func end(_ number: Int) -> [Continuation] {
        underWay.remove(number)
        choosing.remove(number)
        return ready()
    }

    private mutating func ready() -> [Continuation] {
        guard isAwaited else { return [] }
        return waiting.keys.sorted().filter { !mustWait($0) }.compactMap { waiting.removeValue(forKey: $0) }
    }
}
