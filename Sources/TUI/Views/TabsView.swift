/// The line with the tabs and their numbers of uploads.
struct TabsView {
    let model: Model

    func draw(row: Int, in frame: inout Frame) {
        let isWide = model.layout.sizeClass == .wide
        var column = 1
        for tab in Tab.allCases {
            let key = isWide ? model.actions.label(of: .show(tab)).map { "[\($0)] " } ?? "" : ""
            let title = key + "\(tab.title) \(Strings.count(model.table.count(tab)))"
            guard column + CellWidth.of(title) <= model.size.columns else { break }
            let isShown = tab == model.list.tab
            let needsLook = tab == .failed && model.table.count(.failed) > 0
            let end = frame.put(
                " \(title) ", row: row, column: column - 1,
                role: isShown ? .selection : needsLook ? .warning : .normal)
            frame.addRegion(rows: row..<(row + 1), columns: (column - 1)..<end, .tab(tab))
            column = end + 1 + (isWide ? 1 : 0)
        }
        drawOrder(row: row, after: column, in: &frame)
    }

    private func drawOrder(row: Int, after column: Int, in frame: inout Frame) {
        let order = model.table.order
        guard order != .queue else { return }
        let text = "by \(order.title) \(model.appearance.glyphs.order(isAscending: order.isAscending))"
        let start = model.size.columns - text.count - 1
        guard start > column else { return }
        frame.put(text, row: row, column: start, role: .dim)
        frame.addRegion(rows: row..<(row + 1), columns: start..<model.size.columns, .action(.order))
    }
}
