/// The last line: the keys that matter now, and where in the list the cursor is. Written from the action table.
struct HintView {
    let model: Model

    func draw(row: Int, in frame: inout Frame) {
        let position = position
        let end = model.size.columns - position.count - 1
        var column = 1
        for entry in ActionTable.entries(in: .list) {
            guard let hint = entry.hint, isOffered(entry.action), let key = entry.keys.first else { continue }
            let label = key.label
            guard column + label.count + 1 + hint.count + 1 <= end else { break }
            let start = column
            column = frame.put(label, row: row, column: column, role: .key)
            column = frame.put(" " + hint, row: row, column: column, role: .dim)
            frame.addRegion(rows: row..<(row + 1), columns: start..<column, .action(entry.action))
            column += 2
        }
        frame.putRight(position, row: row, end: model.size.columns)
    }

    /// `3/1,284`, and how many are marked.
    private var position: String {
        let total = Wording.count(model.rows.count)
        let marked = model.markedRows.count
        let marks = marked > 0 ? "\(Wording.count(marked)) marked  " : ""
        return marks + (model.cursorIndex.map { "\(Wording.count($0 + 1))/\(total)" } ?? "0/\(total)")
    }

    private func isOffered(_ action: Action) -> Bool {
        switch action {
        case .tryNow: model.isOffline || !model.table.waiting.isEmpty
        case .pause, .remove, .mark: !model.rows.isEmpty
        case .retry: model.table.count(.failed) > 0 || !model.table.waiting.isEmpty
        default: true
        }
    }
}
