/// The log's dialog, as large as the screen allows.
struct LogDialogView {
    let dialog: LogDialog
    let model: Model

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
        if entries.isEmpty { body = lines(emptiness, atMost: height, width: inside, role: .dim) }
        let entry = cursor.map { entries[$0] }
        if dialog.showsWholeEntry, let entry {
            body = [LogView.start(entry, appearance: model.appearance)]
            body += lines(entry.text, atMost: height - 1, width: inside, role: .dialog)
        }
        body = DialogBox.filled(body, to: height)
        body.append(lastLine(newer: cursor.map { entries.count - 1 - $0 } ?? 0, width: inside))
        return DialogBox(
            title: model.appearance.safe(title), body: body,
            keys: keys(isAboutUpload: entry?.upload != nil, width: inside), width: inside,
            cursor: dialog.isTyping
                ? Point(row: height, column: searchField(inside).cursor + 1)
                : cursor.map { Point(row: dialog.showsWholeEntry ? 0 : $0 - top, column: 0) })
    }

    private func keys(isAboutUpload: Bool, width: Int) -> [DialogBox.Line] {
        let isWhole = dialog.showsWholeEntry
        return DialogBox.keyRows(
            dialog.context, appearance: model.appearance, width: width, atMost: 1,
            omitting: isWhole ? [.filter, .raiseLevel, .bottom, .cancel] : [],
            words: dialog.isTyping || isAboutUpload ? [:] : [.confirm: isWhole ? "back" : "whole text"])
    }

    private var emptiness: String {
        if !dialog.search.text.isEmpty || dialog.least > .information { return "no match" }
        return model.ownership == .own
            ? "no entries yet" : "no entries since this screen was opened; ferry.log has the earlier ones"
    }

    private func lines(_ text: String, atMost limit: Int, width: Int, role: Role) -> [DialogBox.Line] {
        model.appearance.safe(text).wrapped(
            to: width, lines: limit, ellipsis: model.appearance.glyphs.ellipsis
        ).map { [.init($0, role)] }
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
        return [.init(model.appearance.safe(Strings.joined(parts, by: "  ")), .dim)]
    }
}
