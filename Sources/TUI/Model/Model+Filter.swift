import FerryUploads

/// A range that is being marked: from where it began to the cursor, on top of what was marked before.
struct MarkRange: Hashable, Sendable {
    let anchor: Place
    let before: Set<Upload.ID>
}

extension Model {
    mutating func type(filter line: LineEditor) {
        dialog = .filter(line)
        narrow(to: line.text)
    }

    mutating func runInFilter(_ action: Action) {
        switch action {
        case .previous: moveCursor(by: -1)
        case .next: moveCursor(by: 1)
        case .confirm: dialog = nil
        default:
            dialog = nil
            narrow(to: "")
        }
    }

    /// Marks first, then the filter: one after the other, as they came.
    mutating func escape() {
        if range != nil || !marks.isEmpty {
            range = nil
            marks = []
        } else if table.filter != nil {
            narrow(to: "")
        }
    }

    private mutating func narrow(to text: String) {
        let before = cursorIndex
        following = .nothing
        range = nil
        let isBlank = text.allSatisfy { $0 == " " }
        table.arrange(isBlank ? nil : UploadFilter(text), by: table.order, in: tab)
        settleCursor(before: before)
    }

    mutating func toggleRange() {
        guard range == nil, let cursor else {
            range = nil
            return
        }
        range = MarkRange(anchor: cursor, before: marks)
        marks.insert(cursor.id)
    }

    /// The cursor has moved: the range reaches to where it is now.
    mutating func stretchRange() {
        let rows = rows
        guard let range, let cursor = cursorIndex else { return }
        let anchor = rows.index(of: range.anchor) ?? cursor
        let inside = rows[min(anchor, cursor)...max(anchor, cursor)]
        marks = range.before.union(inside.map(\.id))
    }
}
