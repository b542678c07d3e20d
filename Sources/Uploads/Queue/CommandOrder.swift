/// The commands that change the queue and have not ended yet, numbered in the sequence of arrival.
///
/// `undo` and `redo` wait until all earlier commands have ended, because only then is the last change known. Later
/// commands wait until `undo` or `redo` has chosen the change to reverse.
struct CommandOrder {
    typealias Continuation = CheckedContinuation<Void, Never>

    enum Kind {
        case change
        /// The command is an `undo` or `redo` that has not chosen yet which change it reverses.
        case choice
    }

    private var last = 0
    private var underWay: [Int: Kind] = [:]
    private var waiting: [Int: Continuation] = [:]

    var isAwaited: Bool { !waiting.isEmpty }

    mutating func begin(_ kind: Kind) -> Int {
        last += 1
        underWay[last] = kind
        return last
    }

    func mustWait(_ number: Int) -> Bool {
        let isChoice = underWay[number] == .choice
        return underWay.contains { $0.key < number && (isChoice || $0.value == .choice) }
    }

    mutating func wait(_ number: Int, _ continuation: Continuation) { waiting[number] = continuation }

    /// Records that the `undo` or `redo` with this number has chosen the change that it reverses.
    mutating func chose(_ number: Int) {
        underWay[number] = .change
        resumeReady()
    }

    mutating func end(_ number: Int) {
        underWay[number] = nil
        resumeReady()
    }

    private mutating func resumeReady() {
        for number in waiting.keys.sorted() where !mustWait(number) {
            waiting.removeValue(forKey: number)?.resume()
        }
    }
}
