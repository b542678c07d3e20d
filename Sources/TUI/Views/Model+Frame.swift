extension Model {
    /// The whole screen. Pure, and defined for every size.
    func frame() -> Frame {
        var frame = Frame(size: size)
        let layout = layout
        if layout.sizeClass == .tiny {
            drawTiny(in: &frame)
        } else {
            StatusView(model: self).draw(row: 0, in: &frame)
            if let row = layout.tabsRow { TabsView(model: self).draw(row: row, in: &frame) }
            let list = ListView(self)
            if let row = layout.headerRow { list.drawHeader(row: row, in: &frame) }
            list.draw(rows: layout.list, in: &frame)
            if let row = layout.hintRow {
                if case .filter(let line) = dialog {
                    FilterView(model: self, line: line).draw(row: row, in: &frame)
                } else {
                    HintView(model: self).draw(row: row, in: &frame)
                }
            }
            if let row = layout.noteRow {
                NoteView(model: self).draw(row: row, in: &frame)
            } else if let toast, let row = layout.hintRow {
                NoteView(model: self).drawToast(toast, row: row, in: &frame)
            }
        }
        if let dialog { box(for: dialog)?.draw(in: &frame, appearance: appearance) }
        return frame
    }

    private func drawTiny(in frame: inout Frame) {
        frame.put(StatusView(model: self).tiny, row: 0, column: 0)
        guard size.rows > 1 else { return }
        if let toast {
            let text = appearance.safe(toast.text).truncated(
                to: size.columns, ellipsis: appearance.glyphs.ellipsis)
            frame.put(text, row: 1, column: 0)
        } else {
            let way = actions.phrase(.quit, "quits").map { "; \($0)" } ?? ""
            frame.put("too small\(way)", row: 1, column: 0, role: .dim)
        }
    }
}
