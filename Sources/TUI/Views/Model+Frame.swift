import FerryTransfer
import FerryUploads

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
            drawPanes(layout, in: &frame)
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

    /// What stands below the list. On large screens each part has a title.
    private func drawPanes(_ layout: Layout, in frame: inout Frame) {
        if !layout.details.isEmpty {
            let name = cursor.flatMap { table[$0.id] }.map { " of \($0.path.name)" } ?? ""
            drawTitle("Details" + name, above: layout.details, in: &frame)
            DetailsView(model: self).draw(rows: layout.details, in: &frame)
        }
        if layout.sizeClass == .wide {
            if !layout.graph.isEmpty { drawTitle("Throughput", above: layout.graph, in: &frame) }
            drawTitle("Log", above: layout.log, in: &frame)
        }
        GraphView(model: self).draw(rows: layout.graph, in: &frame)
        LogView(model: self).draw(rows: layout.log, in: &frame)
    }

    private func drawTitle(_ title: String, above rows: Range<Int>, in frame: inout Frame) {
        let row = rows.lowerBound - 1
        let line = appearance.glyphs.box.horizontal
        frame.put(String(repeating: line, count: size.columns), row: row, column: 0, role: .barRest)
        let text = appearance.safe(" \(title) ").truncated(
            to: max(0, size.columns - 6), ellipsis: appearance.glyphs.ellipsis)
        frame.put(text, row: row, column: 2, role: .title)
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
