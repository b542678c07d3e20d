/// A box over the list. If it is too small for everything, the lines at the bottom stay: they hold the keys.
struct DialogBox {
    /// A piece of a line in one role.
    struct Piece {
        var text: SafeText
        var role: Role
        /// What a click on it means.
        var target: Region.Target?

        init(_ text: SafeText, _ role: Role = .dialog, action: Action? = nil) {
            self.init(text, role, target: action.map { .action($0) })
        }

        init(_ text: SafeText, _ role: Role, target: Region.Target?) {
            self.text = text
            self.role = role
            self.target = target
        }
    }

    typealias Line = [Piece]

    var title: SafeText
    var body: [Line]
    var keys: [Line]
    /// Columns of the inside that the content asks for.
    var width: Int
    /// Where typing happens: line of the body and column.
    var cursor: Point?

    func draw(in frame: inout Frame, appearance: Appearance) {
        let size = frame.size
        let hasBorder = size.rows >= 6 && size.columns >= 20
        let inside = max(1, min(width, size.columns - (hasBorder ? 4 : 0)))
        let roomForBody = max(0, size.rows - keys.count - (hasBorder ? 2 : 0))
        let body = body.prefix(roomForBody)
        let lines = Array(body) + keys.suffix(size.rows - (hasBorder ? 2 : 0))
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
            draw(line, row: first.row + offset, column: first.column, width: inside, in: &frame)
        }
        if let cursor, cursor.row < body.count {
            frame.cursor = Point(
                row: first.row + cursor.row,
                column: min(first.column + min(cursor.column, inside - 1), size.columns - 1))
        } else {
            frame.cursor = Point(
                row: min(size.rows - 1, first.row), column: min(size.columns - 1, first.column))
        }
    }

    private func draw(_ line: Line, row: Int, column: Int, width: Int, in frame: inout Frame) {
        var position = column
        for piece in line {
            let start = position
            position = frame.put(
                piece.text, row: row, column: position, role: piece.role,
                limit: max(0, column + width - position))
            if let target = piece.target, position > start {
                frame.addRegion(rows: row..<(row + 1), columns: start..<position, target)
            }
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
    /// The keys of a context as a line each: `[y] remove`.
    static func keyLines(_ context: Context, appearance: Appearance) -> [Line] {
        hints(context, appearance).map { keyPieces($0, appearance: appearance) }
    }

    /// The keys of a context side by side, in as many lines of a width as they need, but in one at least.
    ///
    /// - Parameter words: What a key does just now, where that is not what it mostly does.
    static func keyRows(
        _ context: Context, appearance: Appearance, width: Int, atMost limit: Int, omitting: Set<Action> = [],
        words: [Action: String] = [:]
    ) -> [Line] {
        var rows: [Line] = [[]]
        var used = 0
        for entry in hints(context, appearance) where !omitting.contains(entry.action) {
            let pieces = keyPieces(entry, saying: words[entry.action], appearance: appearance)
            let length = pieces.reduce(0) { $0 + $1.text.width }
            if used > 0, used + length > width {
                rows.append([])
                used = 0
            }
            rows[rows.count - 1] += pieces + [Piece(appearance.safe("  "))]
            used += length + 2
        }
        return Array(rows.prefix(max(1, limit)))
    }

    private static func hints(_ context: Context, _ appearance: Appearance) -> [ActionTable.Entry] {
        appearance.actions.entries(in: context).filter { $0.hint != nil && !$0.keys.isEmpty }
    }

    private static func keyPieces(
        _ entry: ActionTable.Entry, saying word: String? = nil, appearance: Appearance
    ) -> Line {
        guard let key = entry.keys.first, let hint = word ?? entry.hint else { return [] }
        return [
            Piece(appearance.safe("[\(key.label)]"), .key, action: entry.action),
            Piece(appearance.safe(" " + hint), .dialog, action: entry.action),
        ]
    }
}
