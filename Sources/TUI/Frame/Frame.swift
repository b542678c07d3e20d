struct Cell: Hashable, Sendable {
    /// The Unicode scalar; 0 in the right half of a wide character.
    var scalar: UInt32 = 0x20
    var firstMark: UInt32 = 0
    var secondMark: UInt32 = 0
    var role = Role.normal
    /// The width in cells: 1 or 2; 0 in the right half of a wide character.
    var width: UInt8 = 1
    var onCursorLine = false
}

/// The contents of the whole screen.
struct Frame: Equatable, Sendable {
    let size: Size
    private(set) var cells: [Cell]
    /// The position of the terminal's cursor, which magnifiers and screen readers follow.
    var cursor = Point(row: 0, column: 0)
    /// The clickable regions. The last one under a click gets it.
    var regions: [Region] = []

    init(size: Size) {
        self.size = size
        cells = Array(repeating: Cell(), count: size.rows * size.columns)
    }

    func row(_ row: Int) -> ArraySlice<Cell> { cells[(row * size.columns)..<((row + 1) * size.columns)] }

    func target(at point: Point) -> Region.Target? {
        regions.last { $0.rows.contains(point.row) && $0.columns.contains(point.column) }?.target
    }

    /// Draws text of the program, and returns the column after it.
    @discardableResult
    mutating func put(
        _ text: some StringProtocol, row: Int, column: Int, role: Role = .normal, limit: Int = .max
    ) -> Int {
        put(SafeText(own: text), row: row, column: column, role: role, limit: limit)
    }

    /// Draws at most `limit` columns, and nothing beyond the edge of the screen. A wide character is never split.
    @discardableResult
    mutating func put(
        _ text: SafeText, row: Int, column: Int, role: Role = .normal, limit: Int = .max
    ) -> Int {
        guard row >= 0, row < size.rows, column >= 0 else { return column }
        let end = limit < size.columns - column ? column + max(0, limit) : size.columns
        var position = column
        for unit in text.units {
            guard position + unit.width <= end else { break }
            position = write(unit, row: row, column: position, role: unit.isEscape ? .escape : role)
        }
        return position
    }

    @discardableResult
    mutating func put(_ line: DialogBox.Line, row: Int, column: Int, limit: Int = .max) -> Int {
        var position = column
        for span in line {
            let (start, rest) = (position, limit - (position - column))
            position = put(span.text, row: row, column: start, role: span.role, limit: rest)
            if let target = span.target, position > start {
                addRegion(rows: row..<(row + 1), columns: start..<position, target)
            }
        }
        return position
    }

    /// Draws text so that it ends before the column `end`, but begins at column 0 or later.
    mutating func putRight(_ text: String, row: Int, end: Int, role: Role = .normal) {
        put(text, row: row, column: max(0, end - CellWidth.of(text)), role: role)
    }

    mutating func clear(rows: Range<Int>, columns: Range<Int>, role: Role = .normal) {
        for row in rows.clamped(to: 0..<size.rows) {
            for column in columns.clamped(to: 0..<size.columns) {
                set(Cell(role: role), row: row, column: column)
            }
        }
    }

    mutating func markCursorLine(_ row: Int) {
        guard row >= 0, row < size.rows else { return }
        for index in (row * size.columns)..<((row + 1) * size.columns) { cells[index].onCursorLine = true }
    }

    mutating func addRegion(rows: Range<Int>, columns: Range<Int>, _ target: Region.Target) {
        regions.append(Region(rows: rows, columns: columns, target: target))
    }

    private mutating func write(_ unit: SafeText.Unit, row: Int, column: Int, role: Role) -> Int {
        var position = column
        for scalar in unit.text.unicodeScalars {
            let width = CellWidth.of(scalar) ?? 1
            guard width > 0 else {
                addMark(scalar, row: row, column: position - 1)
                continue
            }
            guard position + width <= size.columns else { break }
            set(Cell(scalar: scalar.value, role: role, width: UInt8(width)), row: row, column: position)
            if width == 2 { set(Cell(scalar: 0, role: role, width: 0), row: row, column: position + 1) }
            position += width
        }
        return position
    }

    private mutating func addMark(_ scalar: Unicode.Scalar, row: Int, column: Int) {
        guard column >= 0 else { return }
        var index = row * size.columns + column
        if cells[index].width == 0, column > 0 { index -= 1 }
        if cells[index].firstMark == 0 {
            cells[index].firstMark = scalar.value
        } else if cells[index].secondMark == 0 {
            cells[index].secondMark = scalar.value
        }
    }

    private mutating func set(_ cell: Cell, row: Int, column: Int) {
        let index = row * size.columns + column
        if cells[index].width == 0, cell.width != 0, column > 0, cells[index - 1].width == 2 {
            cells[index - 1] = Cell(role: cells[index - 1].role)
        }
        if cells[index].width == 2, column + 1 < size.columns {
            cells[index + 1] = Cell(role: cells[index + 1].role)
        }
        cells[index] = cell
    }
}

extension Frame: CustomStringConvertible {
    var description: String { (0..<size.rows).map(text).joined(separator: "\n") }

    func text(_ row: Int) -> String {
        var line = String.UnicodeScalarView()
        for cell in self.row(row) where cell.width > 0 {
            for value in [cell.scalar, cell.firstMark, cell.secondMark] where value != 0 {
                line.append(Unicode.Scalar(value) ?? "\u{FFFD}")
            }
        }
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
