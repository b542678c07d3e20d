/// The parts of the queue with their counts.
struct TabsView {
    let model: Model

    func draw(row: Int, in frame: inout Frame) {
        let isWide = model.layout.sizeClass == .wide
        var column = 1
        for tab in Tab.allCases {
            let key = isWide ? model.actions.label(of: .show(tab)).map { "[\($0)] " } ?? "" : ""
            let title = key + "\(tab.title) \(Wording.count(model.table.count(tab)))"
            guard column + CellWidth.of(title) <= model.size.columns else { break }
            let isShown = tab == model.tab
            let needsLook = tab == .failed && model.table.count(.failed) > 0
            let end = frame.put(
                " \(title) ", row: row, column: column - 1,
                role: isShown ? .selection : needsLook ? .warning : .normal)
            frame.addRegion(rows: row..<(row + 1), columns: (column - 1)..<end, .tab(tab))
            column = end + 1 + (isWide ? 1 : 0)
        }
    }
}
