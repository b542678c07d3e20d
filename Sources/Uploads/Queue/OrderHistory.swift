import FerryProtocols

/// What takes an order of a person back, as an order of its own.
enum Reversal: Hashable, Sendable {
    case pause([Upload.ID], batches: Set<String> = [])
    /// - `addedFrom`: Of the batches, those too that were added since, from this number on.
    case resume([Upload.ID], batches: Set<String> = [], addedFrom: Upload.ID = .max)
    case remove([Upload.ID])
    /// - `stranded`: What was held as these had been removed, as it was before.
    case putBack([Upload.ID], stranded: [Upload.ID: Upload.State] = [:])
    /// To these ranks.
    case place([Upload.ID: Int64])
    /// Nil for what the configuration says.
    case limitBandwidth(Bandwidth?, LimitScope)
    /// Nil for what the configuration says.
    case limitConcurrency(Int?)

    /// The uploads it is about.
    var ids: [Upload.ID] {
        switch self {
        case .pause(let ids, _), .resume(let ids, _, _), .remove(let ids), .putBack(let ids, _): ids
        case .place(let ranks): Array(ranks.keys)
        case .limitBandwidth, .limitConcurrency: []
        }
    }

    /// True if it would change nothing.
    var isEmpty: Bool {
        switch self {
        case .pause(let ids, let batches), .resume(let ids, let batches, _): ids.isEmpty && batches.isEmpty
        case .remove, .putBack, .place: ids.isEmpty
        case .limitBandwidth, .limitConcurrency: false
        }
    }
}

/// The orders that can be taken back, and those that were and can be given again. Pure.
struct OrderHistory {
    enum Direction { case undo, redo }

    static let limit = 50

    private var undos: [Reversal] = []
    private var redos: [Reversal] = []

    /// A new order was given: what had been taken back before it cannot be given again.
    ///
    /// - Returns: The oldest, if it cannot be taken back any more.
    mutating func record(_ reversal: Reversal) -> Reversal? {
        redos = []
        return push(reversal)
    }

    /// What is to be done next in this direction; it counts as done.
    mutating func next(_ direction: Direction) -> Reversal? {
        switch direction {
        case .undo: undos.popLast()
        case .redo: redos.popLast()
        }
    }

    /// What `next` told to do was done, and `reversal` takes that back.
    mutating func went(_ direction: Direction, reversal: Reversal) {
        switch direction {
        case .undo: redos.append(reversal)
        case .redo: _ = push(reversal)
        }
    }

    /// What `next` told to do could not be done.
    mutating func failed(_ direction: Direction, _ reversal: Reversal) {
        switch direction {
        case .undo: undos.append(reversal)
        case .redo: redos.append(reversal)
        }
    }

    private mutating func push(_ reversal: Reversal) -> Reversal? {
        undos.append(reversal)
        return undos.count > Self.limit ? undos.removeFirst() : nil
    }
}
