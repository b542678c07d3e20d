/// The last line of the screen while the user types a filter, with hints and the number of matches.
struct FilterView {
    let model: Model
    let line: LineEditor

    private static let examples = ["words", "!not", "state:failed", "to:films", "size>10M", "batch:may"]

    func draw(row: Int, in frame: inout Frame) {
        let found =
            Strings.count(model.list.rows.count) + " of " + Strings.count(model.table.count(model.list.tab))
        // An error or the examples beside the field need the space that the typed filter does not use.
        let isNarrow = model.table.filter?.problem != nil || line.characters.isEmpty
        let wanted = isNarrow ? max(4, line.characters.count + 1) : 40
        let width = max(1, min(40, wanted, model.size.columns - found.count - 6))
        frame.put("/", row: row, column: 1, role: .key)
        let field = FieldView(line: line, width: width, appearance: model.appearance)
        let column = frame.put(field.spans, row: row, column: 2)
        frame.cursor = Point(row: row, column: 2 + field.cursor)
        frame.putRight(found, row: row, end: model.size.columns)
        let room = model.size.columns - found.count - 2 - column - 2
        guard room > 12 else { return }
        if let problem = model.table.filter?.problem {
            let text = model.appearance.truncated(problem, to: room)
            frame.put(text, row: row, column: column + 2, role: .warning, limit: room)
        } else {
            let hints = model.actions.entries(in: .filter).compactMap { entry -> String? in
                guard let key = entry.keys.first, let hint = entry.hint else { return nil }
                return "\(key.label) \(hint)"
            }
            let examples = line.characters.isEmpty ? Self.examples : []
            var text = ""
            for part in hints + examples where text.count + 2 + part.count <= room {
                text += (text.isEmpty ? "" : "  ") + part
            }
            frame.put(text, row: row, column: column + 2, role: .dim, limit: room)
        }
    }
}
