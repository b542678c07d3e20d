/// The log's dialog, as large as the screen allows.
struct LogDialogView {
    let dialog: LogDialog
    let model: Model

    /// Returns the number of visible lines.
    static func height(_ size: Size) -> Int { max(1, size.rows - 5) }

    var box: DialogBox {
        let size = model.size
        let inside = max(1, size.columns - 4)
        let height = Self.height(size)
        let entries = dialog.entries(of: model.log)
        let cursor = dialog.index(in: entries)
        let top = max(0, min((cursor ?? 0) - height / 2, entries.count - height))
        var body: [DialogBox.Line] = (top..<min(entries.count, top + height)).map { index in
            let spans = LogView.spans(entries[index], appearance: model.appearance, width: inside)
            guard index == cursor else { return spans }
            return spans.map { .init($0.text, .selection) }
        }
        if entries.isEmpty {
            let isNarrowed = !dialog.search.text.isEmpty || dialog.least > .information
            let text = model.appearance.safe(isNarrowed ? "no match" : "no entries yet")
            body = [[.init(text, .dim)]]
        }
        body += Array(repeating: [], count: max(0, height - body.count))
        body.append(lastLine(newer: cursor.map { entries.count - 1 - $0 } ?? 0, width: inside))
        return DialogBox(
            title: model.appearance.safe(title), body: body,
            keys: DialogBox.keyRows(dialog.context, appearance: model.appearance, width: inside, atMost: 1),
            width: inside,
            cursor: dialog.isTyping
                ? Point(row: height, column: searchField(inside).cursor + 1)
                : cursor.map { Point(row: $0 - top, column: 0) })
    }

    private var title: String {
        switch dialog.least {
        case .information: "Log"
        case .warning: "Log: warnings and errors"
        case .error: "Log: errors"
        }
    }

    private func searchField(_ width: Int) -> FieldView {
        FieldView(line: dialog.search, width: max(1, width - 1), appearance: model.appearance)
    }

    private func lastLine(newer: Int, width: Int) -> DialogBox.Line {
        guard !dialog.isTyping else {
            return [.init(model.appearance.safe("/"), .key)] + searchField(width).spans
        }
        let text = dialog.search.text
        let parts = [text.isEmpty ? nil : "/" + text, newer > 0 ? "\(Strings.count(newer)) newer" : nil]
        return [.init(model.appearance.safe(parts.compactMap { $0 }.joined(separator: "  ")), .dim)]
    }
}
