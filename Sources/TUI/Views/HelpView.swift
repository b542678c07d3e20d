/// The help dialog, in one column or two.
struct HelpView {
    let help: HelpDialog
    let size: Size
    let appearance: Appearance

    /// The lines without entries: two borders, the search field, a blank, the keys, and a free line of the screen.
    private static let frameLines = 6

    static func columnHeight(_ size: Size, entries: Int) -> Int {
        let columns = columnCount(size)
        return max(1, min(size.rows - frameLines, (entries + columns - 1) / columns))
    }

    static func pageHeight(_ size: Size, entries: Int) -> Int {
        columnHeight(size, entries: entries) * columnCount(size)
    }

    private static func columnCount(_ size: Size) -> Int { size.columns >= 72 ? 2 : 1 }

    var box: DialogBox {
        let entries = help.entries(of: appearance.actions)
        let rows = Self.columnHeight(size, entries: entries.count)
        let columnCount = Self.columnCount(size)
        let inside = max(1, min(size.columns - 4, 100))
        let width = inside / columnCount
        let page = rows * columnCount
        let first = max(0, help.selected) / page * page
        let shown = Array(entries[min(first, entries.count)..<min(entries.count, first + page)])
        let height = max(1, min(rows, shown.count))

        let label = "type to search: "
        let field = FieldView(
            line: help.line, width: max(1, min(24, inside - label.count)), appearance: appearance)
        let pages = (entries.count + page - 1) / page
        let count = pages > 1 ? "   page \(first / page + 1) of \(pages)" : ""
        var body: [DialogBox.Line] = [
            [.init(appearance.safe(label), .dim)] + field.spans + [.init(appearance.safe(count), .dim)], [],
        ]
        for row in 0..<height {
            var line: DialogBox.Line = []
            for column in 0..<columnCount {
                let index = column * rows + row
                guard shown.indices.contains(index) else { continue }
                line += spans(shown[index], isSelected: first + index == help.selected, width: width)
            }
            body.append(line)
        }
        if entries.isEmpty { body[2] = [.init(appearance.safe("nothing matches"), .dim)] }
        return DialogBox(
            title: appearance.safe("Keys"), body: body,
            keys: DialogBox.keyRows(.help, appearance: appearance, width: inside, atMost: 1),
            width: inside, cursor: Point(row: 0, column: label.count + field.cursor))
    }

    private func spans(_ entry: ActionTable.Entry, isSelected: Bool, width: Int) -> DialogBox.Line {
        let keyWidth = max(1, min(13, width / 2))
        let keys = padded(appearance.truncated(entry.keyLabels, to: keyWidth), to: keyWidth + 1)
        let textWidth = max(0, width - keyWidth - 2)
        let text = padded(appearance.truncated(entry.help, to: textWidth), to: textWidth + 1)
        return [.init(keys, isSelected ? .selection : .key), .init(text, isSelected ? .selection : .dialog)]
    }

    private func padded(_ text: SafeText, to width: Int) -> SafeText {
        let blanks = String(repeating: " ", count: max(0, width - text.width))
        return SafeText(units: text.units + SafeText(own: blanks).units)
    }
}
