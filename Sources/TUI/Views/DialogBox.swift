/// A dialog box over the upload list. An ellipsis replaces the end of a long body, so that the keys stay visible.
struct DialogBox {
    struct Span {
        var text: SafeText
        var role: Role
        var target: Region.Target?

        init(_ text: SafeText, _ role: Role = .dialog, target: Region.Target? = nil) {
            (self.text, self.role, self.target) = (text, role, target)
        }
    }

    typealias Line = [Span]

    var title: SafeText
    var body: [Line]
    var keys: [Line]
    /// The wanted number of columns of the content.
    var width: Int
    /// The cursor's line of the body and column; nil for the start of the content.
    var cursor: Point?

    static func bodyHeight(_ size: Size, keys: Int) -> Int {
        max(0, size.rows - keys - (hasBorder(size) ? 2 : 0))
    }

    /// Returns the lines, followed by empty ones up to `count` lines.
    static func filled(_ lines: [Line], to count: Int) -> [Line] {
        lines + Array(repeating: [], count: max(0, count - lines.count))
    }

    private static func inside(_ size: Size, width: Int) -> Int {
        max(1, min(width, size.columns - (hasBorder(size) ? 4 : 0)))
    }

    private static func hasBorder(_ size: Size) -> Bool { size.rows >= 6 && size.columns >= 20 }

    func draw(in frame: inout Frame, appearance: Appearance) {
        let size = frame.size
        let hasBorder = Self.hasBorder(size)
        let inside = Self.inside(size, width: width)
        let roomForBody = Self.bodyHeight(size, keys: keys.count)
        let ellipsis = appearance.glyphs.ellipsis
        var body = body.prefix(roomForBody).map { Self.cut($0, to: inside, ellipsis: ellipsis) }
        let isCut = self.body[body.count...].joined().contains { $0.text.width > 0 }
        if isCut, let last = body.popLast() {
            body.append(
                Self.cut(last, to: inside - 2, ellipsis: "") + [.init(appearance.safe(" " + ellipsis))])
        }
        let keys = keys.suffix(size.rows - (hasBorder ? 2 : 0))
        let lines = body + keys.map { Self.cut($0, to: inside, ellipsis: ellipsis) }
        let height = lines.count + (hasBorder ? 2 : 0)
        let top = max(0, (size.rows - height) / 3)
        let left = max(0, (size.columns - inside - (hasBorder ? 4 : 0)) / 2)
        let rows = top..<min(size.rows, top + height)
        let columns = left..<min(size.columns, left + inside + (hasBorder ? 4 : 0))
        frame.clear(rows: rows, columns: columns, role: .dialog)
        frame.addRegion(rows: 0..<size.rows, columns: 0..<size.columns, .nothing)
        if hasBorder { drawBorder(rows: rows, columns: columns, in: &frame, appearance: appearance) }
        let first = Point(row: top + (hasBorder ? 1 : 0), column: left + (hasBorder ? 2 : 0))
        for (offset, line) in lines.enumerated() {
            frame.put(line, row: first.row + offset, column: first.column, limit: inside)
        }
        let shown = cursor.flatMap { $0.row < body.count ? $0 : nil } ?? Point(row: 0, column: 0)
        frame.cursor = Point(
            row: min(first.row + shown.row, size.rows - 1),
            column: min(first.column + min(shown.column, inside - 1), size.columns - 1))
    }

    /// Cuts a line to the width. An ellipsis marks the cut, unless the cut is in a span of blanks.
    private static func cut(_ line: Line, to width: Int, ellipsis: String) -> Line {
        var room = max(0, width)
        return line.map { span in
            var span = span
            let isBlank = span.text.units.allSatisfy { $0.text == " " }
            span.text = span.text.truncated(to: room, ellipsis: isBlank ? " " : ellipsis)
            room -= span.text.width
            return span
        }
    }

    private func drawBorder(
        rows: Range<Int>, columns: Range<Int>, in frame: inout Frame, appearance: Appearance
    ) {
        let box = appearance.glyphs.box
        let line = String(repeating: box.horizontal, count: max(0, columns.count - 2))
        let last = rows.upperBound - 1
        frame.put(
            box.topLeft + line + box.topRight, row: rows.lowerBound, column: columns.lowerBound, role: .dim)
        frame.put(box.bottomLeft + line + box.bottomRight, row: last, column: columns.lowerBound, role: .dim)
        for row in rows.dropFirst().dropLast() {
            frame.put(box.vertical, row: row, column: columns.lowerBound, role: .dim)
            frame.put(box.vertical, row: row, column: columns.upperBound - 1, role: .dim)
        }
        let title = title.truncated(to: max(0, columns.count - 6), ellipsis: appearance.glyphs.ellipsis)
        let end = frame.put(" ", row: rows.lowerBound, column: columns.lowerBound + 1)
        let after = frame.put(title, row: rows.lowerBound, column: end, role: .title)
        frame.put(" ", row: rows.lowerBound, column: after)
    }
}

extension DialogBox {
    /// Returns a line for each key, such as `[y] remove`, or the keys side by side on a small screen.
    static func keyLines(_ context: Context, appearance: Appearance, size: Size, width: Int) -> [Line] {
        let lines = hints(context, appearance).map { keySpans($0, appearance: appearance) }
        let room = size.rows - (hasBorder(size) ? 2 : 0)
        guard lines.count > room else { return lines }
        return keyRows(context, appearance: appearance, width: inside(size, width: width), atMost: room)
    }

    /// Breaks text into at most six lines of the available width. An ellipsis ends a longer text.
    static func paragraph(_ text: String, appearance: Appearance, size: Size, width: Int) -> [Line] {
        appearance.safe(text).wrapped(
            to: inside(size, width: width), lines: longestParagraph, ellipsis: appearance.glyphs.ellipsis
        ).map { [.init($0)] }
    }

    private static let longestParagraph = 6

    /// Returns the keys side by side in at most `limit` lines. `words` replace the usual hints of actions.
    static func keyRows(
        _ context: Context, appearance: Appearance, width: Int, atMost limit: Int, omitting: Set<Action> = [],
        words: [Action: String] = [:]
    ) -> [Line] {
        var rows: [Line] = [[]]
        var used = 0
        for entry in hints(context, appearance) where !omitting.contains(entry.action) {
            let spans = keySpans(entry, saying: words[entry.action], appearance: appearance)
            let length = spans.reduce(0) { $0 + $1.text.width }
            if used > 0, used + length > width {
                rows.append([])
                used = 0
            }
            rows[rows.count - 1] += spans + [Span(appearance.safe("  "))]
            used += length + 2
        }
        return Array(rows.prefix(max(1, limit)))
    }

    private static func hints(_ context: Context, _ appearance: Appearance) -> [ActionTable.Entry] {
        appearance.actions.entries(in: context).filter { $0.hint != nil && !$0.keys.isEmpty }
    }

    private static func keySpans(
        _ entry: ActionTable.Entry, saying word: String? = nil, appearance: Appearance
    ) -> Line {
        guard let key = entry.keys.first, let hint = word ?? entry.hint else { return [] }
        // A key that is a bracket has no brackets around it: `[[]` is hard to read.
        let label = ["[", "]"].contains(key.label) ? key.label : "[\(key.label)]"
        return [
            Span(appearance.safe(label), .key, target: .action(entry.action)),
            Span(appearance.safe(" " + hint), .dialog, target: .action(entry.action)),
        ]
    }
}
