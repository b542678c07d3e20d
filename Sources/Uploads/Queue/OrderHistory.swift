import FerryProtocols
import Foundation

/// What takes an order of a person back, as an order of its own.
enum Reversal: Hashable, Sendable {
    case pause([Upload.ID], batches: Set<String> = [])
    /// - `addedFrom`: Of the batches, those too that were added since, from this number on.
    case resume([Upload.ID], batches: Set<String> = [], addedFrom: Upload.ID = .max)
    case remove([Upload.ID])
    /// Removes those that were added by one command and are not done.
    case unadd([Upload.ID])
    /// - `stranded`: What was held as these had been removed, as it was before.
    /// - `areAdded`: Whether they were removed to take back their addition.
    case putBack([Upload.ID], stranded: [Upload.ID: Upload.State] = [:], areAdded: Bool = false)
    /// To these ranks.
    case place([Upload.ID: Int64])
    /// Nil for what the configuration says.
    case limitBandwidth(Bandwidth?, LimitScope)
    /// Nil for what the configuration says.
    case limitConcurrency(Int?)

    /// The uploads it is about.
    var ids: [Upload.ID] {
        switch self {
        case .pause(let ids, _), .resume(let ids, _, _), .remove(let ids), .unadd(let ids),
            .putBack(let ids, _, _):
            ids
        case .place(let ranks): Array(ranks.keys)
        case .limitBandwidth, .limitConcurrency: []
        }
    }

    /// True if it would change nothing.
    var isEmpty: Bool {
        switch self {
        case .pause(let ids, let batches), .resume(let ids, let batches, _): ids.isEmpty && batches.isEmpty
        case .remove, .unadd, .putBack, .place: ids.isEmpty
        case .limitBandwidth, .limitConcurrency: false
        }
    }
}

/// The commands that can be taken back, and those that were and can be given again. Pure.
struct OrderHistory {
    enum Direction { case undo, redo }

    /// A command of a person, and what takes it back.
    struct Entry: Hashable, Sendable {
        /// Different for each entry of one history.
        var number: Int
        /// When the command was carried out.
        var date: Date
        var reversal: Reversal
    }

    static let limit = 50

    private(set) var undos: [Entry] = []
    private var redos: [Entry] = []
    private var lastNumber = 0

    /// A new command was given: what had been taken back before it cannot be given again.
    ///
    /// - Returns: What takes back the oldest, if that cannot be done any more.
    mutating func record(_ reversal: Reversal, at date: Date) -> Reversal? {
        redos = []
        return push(reversal, at: date)
    }

    /// What is to be done next in this direction; it counts as done.
    mutating func next(_ direction: Direction) -> Entry? {
        switch direction {
        case .undo: undos.popLast()
        case .redo: redos.popLast()
        }
    }

    /// What `next` told to do was done, and `reversal` takes that back.
    mutating func went(_ direction: Direction, _ entry: Entry, reversal: Reversal) {
        switch direction {
        case .undo: redos.append(Entry(number: entry.number, date: entry.date, reversal: reversal))
        case .redo: _ = push(reversal, at: entry.date)
        }
    }

    /// What `next` told to do could not be done.
    mutating func failed(_ direction: Direction, _ entry: Entry) {
        switch direction {
        case .undo: undos.append(entry)
        case .redo: redos.append(entry)
        }
    }

    private mutating func push(_ reversal: Reversal, at date: Date) -> Reversal? {
        lastNumber += 1
        undos.append(Entry(number: lastNumber, date: date, reversal: reversal))
        return undos.count > Self.limit ? undos.removeFirst().reversal : nil
    }
}
