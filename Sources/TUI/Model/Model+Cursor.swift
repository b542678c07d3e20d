import FerryProtocols
import FerryTransfer
import FerryUploads

/// Whether the list scrolls by itself to where something happens.
enum Following: Hashable, Sendable {
    /// To the first running upload, for as long as nobody has moved. It last did at `since` on the clock.
    case running(since: Double)
    /// A person has taken over.
    case nothing

    /// Seconds after a scroll in which a key was meant for the upload that was there before.
    static let deafness = 0.5
    /// Seconds for which the details of one upload stay at least.
    static let reading = 2.0
}

extension Model {
    /// On the first sight of the queue: where something happens, else where something is left to do.
    mutating func startCursor() {
        let rows = rows
        let firstRunning = runningRows.min().map { rows[$0] }
        let unfinished = rows.first { place in table[place.id]?.state.isUnfinished ?? false }
        cursor = firstRunning ?? unfinished ?? rows.first
        keepCursorInView()
    }

    /// The cursor stays on its upload and on its line. If the upload has left the list, a neighbour takes over.
    mutating func settleCursor(before: Int?) {
        let line = before.map { $0 - top }
        let rows = rows
        guard let old = cursor else {
            cursor = rows.first
            keepCursorInView()
            return
        }
        if let now = table.place(of: old.id), rows.index(of: now) != nil {
            cursor = now
        } else {
            cursor = rows.isEmpty ? nil : rows[rows.heir(of: old, at: before ?? 0)]
        }
        if let line, let index = cursorIndex { top = index - line }
        keepCursorInView()
    }

    mutating func moveCursor(by lines: Int) {
        guard !rows.isEmpty else { return }
        let (target, _) = (cursorIndex ?? 0).addingReportingOverflow(lines)
        moveCursor(to: target)
    }

    mutating func moveCursor(to index: Int) {
        guard !rows.isEmpty else { return }
        cursor = rows[max(0, min(rows.count - 1, index))]
        stretchRange()
        keepCursorInView()
    }

    mutating func show(_ tab: Tab) {
        guard tab != self.tab else { return }
        let old = cursor
        self.tab = tab
        range = nil
        table.arrange(table.filter, by: table.order, in: tab)
        top = 0
        let rows = rows
        cursor = rows.isEmpty ? nil : rows[old.map { rows.index(of: $0) ?? rows.heir(of: $0, at: 0) } ?? 0]
        keepCursorInView()
    }

    mutating func keepCursorInView() {
        let height = max(1, layout.list.count)
        if let index = cursorIndex {
            if index < top { top = index }
            if index >= top + height { top = index - height + 1 }
        }
        top = max(0, min(top, rows.count - height))
    }

    /// The cursor leaves its upload only when it has to: as few surprises as rows that run out of sight allow.
    mutating func follow() {
        guard case .running(let since) = following, dialog == nil, marks.isEmpty, !layout.list.isEmpty else {
            return
        }
        let rows = rows
        let height = layout.list.count
        // One that will be tried again is still what is followed: where all fail in turn the list would leap about.
        if let cursor, let upload = table[cursor.id], upload.isUnderWay, let index = rows.index(of: cursor),
            (top..<(top + height)).contains(index)
        {
            return
        }
        let running = runningRows
        guard let index = running.min() else { return }
        if let seen = running.filter((top..<(top + height)).contains).min() {
            showDetails(of: rows[seen], since: since)
            return
        }
        cursor = rows[index]
        top = index - height / 3
        keepCursorInView()
        following = .running(since: clock.seconds)
    }

    /// The details below the list are about what runs. Small uploads end faster than anybody reads.
    private mutating func showDetails(of place: Place, since: Double) {
        guard !layout.details.isEmpty, clock.seconds - since >= Following.reading else { return }
        cursor = place
        following = .running(since: clock.seconds)
    }

    /// Where running uploads stand among the rows.
    private var runningRows: [Int] {
        let rows = rows
        return table.running.compactMap { table.place(of: $0) }.compactMap { rows.index(of: $0) }
    }

    /// A person moves or acts on a row. False if the list scrolled under the finger just now.
    mutating func takeOver(_ action: Action) -> Bool {
        guard case .running(let since) = following else { return true }
        following = .nothing
        return !action.isAboutTargets || clock.seconds - since >= Following.deafness
    }
}
