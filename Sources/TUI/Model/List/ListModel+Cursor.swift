import FerryUploads

/// The rule for automatic scrolling of the list.
enum Following: Hashable, Sendable {
    /// The cursor follows the running uploads until the user moves it. `since` is the time when the cursor last moved
    /// by itself.
    case running(since: Double)
    /// The user moves the cursor; the list does not scroll by itself.
    case nothing

    /// Keys do not act on uploads for this number of seconds after the cursor has moved by itself. A key pressed in
    /// this time was probably meant for the previous row.
    static let settling = 0.5
    /// The minimum number of seconds before the cursor moves by itself to another visible row. In this time, the user
    /// can read the details of the upload under the cursor.
    static let reading = 2.0
}

extension ListModel {
    /// Places the cursor when the queue first appears: on the first running upload, otherwise on the first unfinished
    /// one, otherwise on the first row.
    mutating func startCursor() {
        let rows = rows
        let firstRunning = runningRows.min().map { rows[$0] }
        let unfinished = rows.first { position in table[position.id]?.state.isUnfinished ?? false }
        cursor = firstRunning ?? unfinished ?? rows.first
        keepCursorInView()
    }

    /// Keeps the cursor on its upload and screen line after a change of the rows. If that upload is no longer in the
    /// list, moves the cursor to a neighbouring row. If there was no cursor, puts it on the first row.
    ///
    /// - Parameter before: The index of the cursor's row before the change; nil if there was none.
    mutating func settleCursor(before: Int?) {
        let line = before.map { $0 - top }
        let rows = rows
        guard let old = cursor else {
            cursor = rows.first
            keepCursorInView()
            return
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

    /// Puts the cursor on a position, and stops automatic scrolling.
    mutating func putCursor(on position: QueuePosition) {
        following = .nothing
        cursor = position
        keepCursorInView()
    }

    /// Moves the cursor to the uppermost row with one of these uploads, if there is such a row.
    mutating func goTo(_ ids: [Upload.ID]) {
        let indices = ids.compactMap { table.position(of: $0) }.compactMap { rows.index(of: $0) }
        if let first = indices.min() { putCursor(on: rows[first]) }
    }

    /// Moves the cursor to a clicked row, and stops automatic scrolling. Does nothing if the row is not in the list.
    /// Returns true for the second click of a double click.
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

    /// Moves the cursor to a running upload. If no running upload is visible, scrolls the list to the first one.
    ///
    /// Does nothing if automatic scrolling is off, if uploads are marked, or if the upload under the cursor is visible
    /// and has begun (`isUnderWay`).
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
            showDetails(of: rows[seen], since: since, now: now)
            return
        }
        cursor = rows[index]
        top = index - height / 3
        keepCursorInView()
        following = .running(since: now)
    }

    /// Moves the cursor to a running upload, so that the details below the list show this upload. Does nothing if the
    /// screen has no details, or if the cursor moved by itself less than `Following.reading` seconds ago.
    private mutating func showDetails(of position: QueuePosition, since: Double, now: Double) {
        guard !layout.details.isEmpty, now - since >= Following.reading else { return }
        cursor = position
        following = .running(since: now)
    }

    private var runningRows: [Int] {
        let rows = rows
        return table.running.compactMap { table.position(of: $0) }.compactMap { rows.index(of: $0) }
    }

    /// Stops automatic scrolling, because the user has chosen `action`. Returns true if the action can run. Returns
    /// false for an action on uploads if the cursor has just moved by itself: the user probably meant the previous row.
    mutating func takeOver(_ action: Action, now: Double) -> Bool {
        guard case .running(let since) = following else { return true }
        following = .nothing
        return !action.isAboutTargets || now - since >= Following.settling
    }
}
