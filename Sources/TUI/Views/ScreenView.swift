/// Draws the whole screen, at every size.
struct ScreenView {
    let model: Model

    private var size: Size { model.size }
    private var appearance: Appearance { model.appearance }

    func frame() -> Frame {
        var frame = Frame(size: size)
        let layout = model.layout
        if layout.sizeClass == .tiny {
            drawTiny(in: &frame)
        } else {
            StatusView(model: model).draw(row: 0, in: &frame)
            if let row = layout.tabsRow { TabsView(model: model).draw(row: row, in: &frame) }
            let list = ListView(model)
            if let row = layout.headerRow { list.drawHeader(row: row, in: &frame) }
            list.draw(rows: layout.list, in: &frame)
            drawPanes(layout, in: &frame)
            if let row = layout.hintRow {
                if case .filter(let line) = model.dialog {
                    FilterView(model: model, line: line).draw(row: row, in: &frame)
                } else {
                    HintView(model: model).draw(row: row, in: &frame)
                }
            }
            if let row = layout.noteRow {
                NoteView(model: model).draw(row: row, in: &frame)
            } else if let toast = model.toast.current, let row = layout.hintRow {
                NoteView(model: model).drawToast(toast, row: row, in: &frame)
            }
        }
        if let dialog = model.dialog {
            DialogView(model: model).box(for: dialog)?.draw(in: &frame, appearance: appearance)
        }
        return frame
    }

    private func drawPanes(_ layout: Layout, in frame: inout Frame) {
        if !layout.details.isEmpty {
            let details = DetailsView(model: model)
            drawTitle(details.title, above: layout.details, in: &frame)
            details.draw(rows: layout.details, in: &frame)
        }
        if layout.sizeClass == .wide {
            if !layout.graph.isEmpty { drawTitle("Throughput", above: layout.graph, in: &frame) }
            drawTitle("Log", above: layout.log, in: &frame)
        }
        GraphView(model: model).draw(rows: layout.graph, in: &frame)
        LogView(model: model).draw(rows: layout.log, in: &frame)
    }

    private func drawTitle(_ title: String, above rows: Range<Int>, in frame: inout Frame) {
        let row = rows.lowerBound - 1
        let line = appearance.glyphs.box.horizontal
        frame.put(String(repeating: line, count: size.columns), row: row, column: 0, role: .barRest)
        let text = appearance.truncated(" \(title) ", to: max(0, size.columns - 6))
        frame.put(text, row: row, column: 2, role: .title)
    }

    private func drawTiny(in frame: inout Frame) {
        frame.put(StatusView(model: model).tiny, row: 0, column: 0)
        guard size.rows > 1 else { return }
        if let toast = model.toast.current {
            let text = appearance.truncated(toast.text, to: size.columns)
            frame.put(text, row: 1, column: 0)
        } else {
            let hint = model.actions.phrase(.quit, "quits").map { "; \($0)" } ?? ""
            frame.put("too small\(hint)", row: 1, column: 0, role: .dim)
        }
    }
}
