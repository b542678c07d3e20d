import FerryProtocols

/// The commands that `undo` and `redo` choose from.
package struct UndoStack {
    package enum Direction: String { case undo, redo }

    /// A command of a user, and the action that undoes it. After the command was undone, the action redoes it.
    package struct Entry: Hashable, Sendable {
        var number: Int
        var date: Date
        package var action: UndoAction
    }

    static let limit = 50

    /// The entries for `undo` and for `redo`. The last entry is the one that `next` returns first.
    private(set) var entries: [Direction: [Entry]] = [:]
    private var lastNumber: Int

    /// The entries count from the microseconds between 1970 and `start`, so that numbers differ from those of an
    /// earlier engine. They are exact in JSON until the year 2255.
    init(start: Date) {
        lastNumber = Int(exactly: (start.timeIntervalSince1970 * 1_000_000).rounded()) ?? 0
    }

    /// Adds the undo action of a new command. Returns the dropped actions: all redo actions, and the oldest undo action
    /// if the stack is full.
    mutating func record(_ action: UndoAction, at date: Date) -> [UndoAction] {
        let dropped = entries.removeValue(forKey: .redo) ?? []
        return dropped.map(\.action) + (push(action, at: date).map { [$0] } ?? [])
    }

    /// Removes and returns the entry to carry out next, of which the caller reports `went` or `failed`.
    package mutating func next(_ direction: Direction) -> Entry? { entries[direction]?.popLast() }

    /// Records that the action of `entry`, which `next` returned, was carried out, and that `action` reverses it.
    package mutating func went(_ direction: Direction, _ entry: Entry, action: UndoAction) {
        switch direction {
        case .undo:
            entries[.redo, default: []].append(Entry(number: entry.number, date: entry.date, action: action))
        case .redo: _ = push(action, at: entry.date)
        }
    }

    /// Puts back `entry`, which `next` returned, because its action could not be carried out.
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
