import FerryFiles
import FerryProtocols

/// The commands that `undo` and `redo` choose from.
package struct UndoStack {
    package enum Direction: String { case undo, redo }

    /// A command of a user, and the action that undoes it. After the command was undone, the action redoes it.
    package struct Entry: Hashable, Sendable {
        /// The unique number of the entry. The numbers of an earlier engine process were different.
        var number: Int
        /// The time when the command was carried out.
        var date: Date
        package var action: UndoAction
    }

    static let limit = 50

    /// The entries for `undo` and for `redo`. The last entry is the one that `next` returns first.
    private(set) var entries: [Direction: [Entry]] = [:]
    private var lastNumber: Int

    /// - Parameter start: The time when the engine started. The first entry gets the number of microseconds from 1970
    ///   to this time, plus 1. Each later entry gets the next number. So the numbers differ from those of an earlier
    ///   engine. They are exact in JSON until the year 2255.
    init(start: Date) {
        lastNumber = Int(exactly: (start.timeIntervalSince1970 * 1_000_000).rounded()) ?? 0
    }

    /// Adds the undo action of a new command. Commands that were undone before it can no longer be redone.
    ///
    /// - Returns: The actions that the stack drops: all redo actions and, if the stack is full, the oldest undo action.
    mutating func record(_ action: UndoAction, at date: Date) -> [UndoAction] {
        let dropped = entries.removeValue(forKey: .redo) ?? []
        return dropped.map(\.action) + (push(action, at: date).map { [$0] } ?? [])
    }

    /// Removes and returns the entry that `undo` or `redo` must carry out next; nil if there is none. The caller
    /// carries out its action, and reports the result with `went` or `failed`. Without a report, the entry stays
    /// removed.
    package mutating func next(_ direction: Direction) -> Entry? { entries[direction]?.popLast() }

    /// Records that the action of `entry`, which `next` returned, was carried out. The parameter `action` reverses what
    /// was done. It goes onto the opposite list: after an undo onto the redo list, after a redo onto the undo list.
    package mutating func went(_ direction: Direction, _ entry: Entry, action: UndoAction) {
        switch direction {
        case .undo:
            entries[.redo, default: []].append(Entry(number: entry.number, date: entry.date, action: action))
        case .redo: _ = push(action, at: entry.date)
        }
    }

    /// Puts `entry`, which `next` returned, back onto its list, because its action could not be carried out.
    package mutating func failed(_ direction: Direction, _ entry: Entry) {
        entries[direction, default: []].append(entry)
    }

    private mutating func push(_ action: UndoAction, at date: Date) -> UndoAction? {
        lastNumber += 1
        entries[.undo, default: []].append(Entry(number: lastNumber, date: date, action: action))
        guard let undos = entries[.undo], undos.count > Self.limit else { return nil }
        return entries[.undo]?.removeFirst().action
    }
}
