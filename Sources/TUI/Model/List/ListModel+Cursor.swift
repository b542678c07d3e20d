import FerryUploads

enum Following: Hashable, Sendable {
    /// The cursor follows the running uploads until the user moves it; `since` is the time of its last move.
    case running(since: Double)
    case nothing

    /// The seconds after a move in which keys do not act on uploads: they were meant for the previous row.
    static let settling = 0.5
    /// The minimum number of seconds between two such moves to a visible row, so that the user can read the details.
    static let reading = 2.0
}

extension ListModel {
    /// Places the cursor at first: on a running upload, else on an unfinished one, else on the first row.
    mutating func startCursor() {
        let rows = rows
        let firstRunning = runningRows.min().map { rows[$0] }
        let unfinished = rows.first { position in table[position.id]?.state.isUnfinished ?? false }
        cursor = firstRunning ?? unfinished ?? rows.first
        keepCursorInView()
    }

    /// Keeps the cursor on its upload and line, or moves it to a neighbour of its former index `before`.
    mutating func settleCursor(before: Int?) {
        let line = before.map { $0 - top }
        let rows = rows
        guard let old = cursor else {
            cursor = rows.first
            return keepCursorInView()
        }
        if let now = table.position(of: old.id), rows.index(of: now) != nil {
            cursor = now
        } else {
            cursor = rows.isEmpty ? nil : rows[rows.heir(of: old, at: before ?? 0)]
        }
        if let line, let index = cursorIndex { top = index - line }
        keepCursorInView()
    }

    mutating func moveCursor(by lines: Int) { moveCursor(to: (cursorIndex ?? 0) + lines) }

    mutating func moveCursor(to index: Int) {
        guard !rows.isEmpty else { return }
        cursor = rows[max(0, min(rows.count - 1, index))]
        stretchRange()
        keepCursorInView()
    }

    mutating func putCursor(on position: QueuePosition) {
        following = .nothing
        cursor = position
        keepCursorInView()
    }

    mutating func goTo(_ ids: [Upload.ID]) {
        let indices = ids.compactMap { table.position(of: $0) }.compactMap { rows.index(of: $0) }
        if let first = indices.min() { putCursor(on: rows[first]) }
    }

    /// Moves the cursor to a clicked row. Returns true for the second click of a double click.
    mutating func click(_ id: Upload.ID, now: Double) -> Bool {
        guard let position = table.position(of: id), rows.index(of: position) != nil else { return false }
        putCursor(on: position)
        let isSecond = lastClick.map { $0.id == id && now - $0.at < Clock.doubleClick } ?? false
        lastClick = isSecond ? nil : (id, now)
        return isSecond
    }

    mutating func keepCursorInView() {
        let height = max(1, layout.list.count)
        if let index = cursorIndex {
            if index < top { top = index }
            if index >= top + height { top = index - height + 1 }
        }
        top = max(0, min(top, rows.count - height))
    }

    /// Moves the cursor to a running upload, unless uploads are marked or the visible cursor's is under way.
    mutating func follow(now: Double) {
        guard case .running(let since) = following, marks.isEmpty, !layout.list.isEmpty else { return }
        let rows = rows
        let height = layout.list.count
        // Also follows an upload that waits for a retry: otherwise the list would jump while uploads fail.
        if let cursor, let current, current.isUnderWay, let index = rows.index(of: cursor),
            (top..<(top + height)).contains(index)
        {
            return
        }
        let running = runningRows
        guard let index = running.min() else { return }
        if let seen = running.filter((top..<(top + height)).contains).min() {
            // Only the details below the list need the cursor on an upload that is visible already.
            guard !layout.details.isEmpty, now - since >= Following.reading else { return }
            cursor = rows[seen]
        } else {
            cursor = rows[index]
            top = index - height / 3
            keepCursorInView()
        }
        following = .running(since: now)
    }

    private var runningRows: [Int] {
        let rows = rows
        return table.running.compactMap { table.position(of: $0) }.compactMap { rows.index(of: $0) }
    }

    /// Stops automatic scrolling. Returns false for an action on uploads if the cursor has just moved by itself.
    mutating func takeOver(_ action: Action, now: Double) -> Bool {
        guard case .running(let since) = following else { return true }
        following = .nothing
        return !action.isAboutTargets || now - since >= Following.settling
    }
}
