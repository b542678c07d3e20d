/// A line that the user is typing, scrolled so that its cursor is visible.
struct FieldView {
    let spans: DialogBox.Line
    let cursor: Int

    init(line: LineEditor, width: Int, appearance: Appearance) {
        let units = line.characters.map { appearance.typed($0) }
        let before = units[..<line.position].reduce(0) { $0 + $1.width }
        // The cursor needs a cell after the text.
        var skipped = 0
        var first = 0
        while before - skipped > width - 1, first < line.position {
            skipped += units[first].width
            first += 1
        }
        var shown = SafeText()
        for unit in units[first...] where shown.width + unit.width <= width { shown.units += unit.units }
        let rest = max(0, width - shown.width)
        spans = [.init(shown, .field), .init(appearance.safe(String(repeating: " ", count: rest)), .field)]
        cursor = max(0, min(before - skipped, width - 1))
    }
}
