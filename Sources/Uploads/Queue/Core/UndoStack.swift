import FerryFiles
import FerryProtocols

/// The commands that `undo` and `redo` choose from. Pure.
package struct UndoStack {
    package enum Direction: String { case undo, redo }

    /// A command of a user, and the action that undoes it; once it is undone, the action that redoes it.
    package struct Entry: Hashable, Sendable {
        /// A number that no other entry has, neither of this stack nor of the stack of an earlier engine.
        var number: Int
        /// The time when the command was carried out.
        var date: Date
        package var action: UndoAction
    }

    static let limit = 50

    private var undos: [Entry] = []
    private var redos: [Entry] = []
    private var lastNumber: Int

    /// - Parameter start: The time when the engine started. The numbers of the entries count from this time in
    ///   microseconds. So a number from an earlier engine names no command of this one. The numbers are exact in JSON
    ///   until the year 2255.
    init(start: Date) {
        lastNumber = Int(exactly: (start.timeIntervalSince1970 * 1_000_000).rounded()) ?? 0
    }

    /// Returns the entries of a direction. `next` returns the last of them first.
    func entries(_ direction: Direction) -> [Entry] {
        switch direction {
        case .undo: undos
        case .redo: redos
        }
    }

    /// Adds the undo action of a new command. Commands that were undone before it can no longer be redone.
    ///
    /// - Returns: The actions that the stack drops: all redo actions and, if the stack is full, the oldest undo action.
    mutating func record(_ action: UndoAction, at date: Date) -> [UndoAction] {
        let dropped = redos.map(\.action)
        redos = []
        return dropped + (push(action, at: date).map { [$0] } ?? [])
    }

    /// Removes and returns the next entry; nil if there is none. The caller carries out the action, and reports the
    /// result with `went` or `failed`. Without a report, the entry stays removed.
    package mutating func next(_ direction: Direction) -> Entry? {
        switch direction {
        case .undo: undos.popLast()
        case .redo: redos.popLast()
        }
    }

    /// Notes that the action of an entry from `next` was carried out, and that `action` undoes it.
    package mutating func went(_ direction: Direction, _ entry: Entry, action: UndoAction) {
        switch direction {
        case .undo: redos.append(Entry(number: entry.number, date: entry.date, action: action))
        case .redo: _ = push(action, at: entry.date)
        }
    }

    /// Returns an entry from `next` to the stack, because its action could not be carried out.
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
