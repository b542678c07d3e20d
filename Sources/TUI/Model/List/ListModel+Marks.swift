import FerryUploads

/// A range of rows that the user is marking, from `anchor` to the cursor. The marks in `before` stay.
struct MarkRange: Hashable, Sendable {
    let anchor: QueuePosition
    let before: Set<Upload.ID>
}

extension ListModel {
    mutating func mark() {
        guard let cursor else { return }
        if range == nil {
            marks.formSymmetricDifference([cursor.id])
            moveCursor(by: 1)
        }
        range = nil
    }

    mutating func toggleMark(_ id: Upload.ID) {
        guard table[id] != nil else { return }
        following = .nothing
        marks.formSymmetricDifference([id])
    }

    mutating func toggleRange() {
        range = range == nil ? cursor.map { MarkRange(anchor: $0, before: marks) } : nil
        if let range { marks.insert(range.anchor.id) }
    }

    mutating func stretchRange() {
        let rows = rows
        guard let range, let cursor = cursorIndex else { return }
        let anchor = rows.index(of: range.anchor) ?? cursor
        let inside = rows[min(anchor, cursor)...max(anchor, cursor)]
        marks = range.before.union(inside.map(\.id))
    }

    mutating func escape() {
        if range != nil || !marks.isEmpty {
            range = nil
            marks = []
        } else if table.filter != nil {
            narrow(to: "")
        }
    }
}
