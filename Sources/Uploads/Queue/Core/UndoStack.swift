import FerryFiles
import FerryProtocols

/// The commands that can be taken back, and those that were and can be given again. Pure.
package struct UndoStack {
    package enum Direction { case undo, redo }

    /// A command of a person, and what takes it back.
    package struct Entry: Hashable, Sendable {
        /// Different for each entry of one history.
        var number: Int
        /// The time when the command was carried out.
        var date: Date
        package var action: UndoAction
    }

    static let limit = 50

    private(set) var undos: [Entry] = []
    private var redos: [Entry] = []
    private var lastNumber = 0

    /// A new command was given: what had been taken back before it cannot be given again.
    ///
    /// - Returns: What takes back the oldest, if that cannot be done any more.
    mutating func record(_ action: UndoAction, at date: Date) -> UndoAction? {
        redos = []
        return push(action, at: date)
    }

    /// Returns the next action in this direction; it counts as done.
    package mutating func next(_ direction: Direction) -> Entry? {
        switch direction {
        case .undo: undos.popLast()
        case .redo: redos.popLast()
        }
    }

    /// Notes that the action of `next` was done, and that `action` takes it back.
    package mutating func went(_ direction: Direction, _ entry: Entry, action: UndoAction) {
        switch direction {
        case .undo: redos.append(Entry(number: entry.number, date: entry.date, action: action))
        case .redo: _ = push(action, at: entry.date)
        }
    }

    /// Notes that the action of `next` could not be done.
    package mutating func failed(_ direction: Direction, _ entry: Entry) {
        switch direction {
        case .undo: undos.append(entry)
        case .redo: redos.append(entry)
        }
    }

    private mutating func push(_ action: UndoAction, at date: Date) -> UndoAction? {
        lastNumber += 1
        undos.append(Entry(number: lastNumber, date: date, action: action))
        return undos.count > Self.limit ? undos.removeFirst().action : nil
    }
}
