import CFerryTerminal

/// Sends the changed rows of a frame to the terminal.
struct Renderer {
    private var shown: Frame?

    init(_ palette: Palette) {
        for role in Role.allCases {
            for onCursorLine in [false, true] {
                let style = palette.style(role, onCursorLine: onCursorLine)
                terminal_define_style(
                    Self.number(role, onCursorLine), Int32(style.foreground ?? -1),
                    Int32(style.background ?? -1),
                    UInt32(style.attributes.rawValue))
            }
        }
    }

    mutating func forget() {
        shown = nil
        terminal_forget()
    }

    mutating func paint(_ frame: Frame) {
        let before = shown.flatMap { $0.size == frame.size ? $0 : nil }
        var hasChanged = before == nil || before?.cursor != frame.cursor
        var cells: [terminal_cell] = []
        for row in 0..<frame.size.rows {
            let line = frame.row(row)
            if let before, before.row(row) == line { continue }
            hasChanged = true
            cells.removeAll(keepingCapacity: true)
            for cell in line {
                cells.append(
                    terminal_cell(
                        scalar: cell.scalar, combining: (cell.firstMark, cell.secondMark),
                        style: Self.number(cell.role, cell.onCursorLine), width: cell.width))
            }
            terminal_put_row(Int32(row), cells, Int32(cells.count))
        }
        shown = frame
        if hasChanged { terminal_present(Int32(frame.cursor.row), Int32(frame.cursor.column)) }
    }

    private static func number(_ role: Role, _ onCursorLine: Bool) -> UInt8 {
        role.rawValue + (onCursorLine ? 32 : 0)
    }
}
