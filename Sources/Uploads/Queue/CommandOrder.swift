/// The commands that are being carried out, in the order of their arrival. Pure, but for the continuations it keeps.
///
/// `undo` and `redo` wait for the earlier commands. Only once these have ended is it known which change is the last.
struct CommandOrder {
    typealias Continuation = CheckedContinuation<Void, Never>

    private var last = 0
    private var underWay: Set<Int> = []
    private var waiting: [Int: Continuation] = [:]

    /// Returns the number of a command that begins now. Later commands have higher numbers.
    mutating func begin() -> Int {
        last += 1
        underWay.insert(last)
        return last
    }

    /// True if a command waits for an earlier one.
    var isAwaited: Bool { !waiting.isEmpty }

    /// True if a command that began before this one has not ended.
    func hasEarlier(than number: Int) -> Bool { underWay.contains { $0 < number } }

    /// Notes that a command waits until the earlier ones have ended.
    mutating func wait(_ number: Int, _ continuation: Continuation) { waiting[number] = continuation }

    /// Notes that a command has ended.
    ///
    /// - Returns: The continuations of the commands that need not wait any longer.
    mutating func end(_ number: Int) -> [Continuation] {
        underWay.remove(number)
        guard isAwaited else { return [] }
        let ready = waiting.keys.filter { !hasEarlier(than: $0) }.sorted()
        return ready.compactMap { waiting.removeValue(forKey: $0) }
    }
}
