import FerryUploads

/// The row that shows the toast. Without one, and where no details are visible, it shows the upload under the cursor.
struct NoteView {
    let model: Model

    func draw(row: Int, in frame: inout Frame) {
        if let toast = model.toast.current { return drawToast(toast, row: row, in: &frame) }
        let room = model.size.columns - 2
        // The details show more, if they are visible.
        guard model.layout.details.isEmpty, let upload = model.list.current else { return }
        if let problem = problem(upload, room: room) {
            let text = model.appearance.truncated(problem, to: room)
            frame.put(text, row: row, column: 1, role: .warning, limit: room)
            return
        }
        let (destination, name) = (upload.target.destinationText, upload.target.name)
        let goal = upload.isRenamed ? "\(destination): \(name)" : destination
        let target = model.appearance.truncated(" -> \(goal)", to: max(0, room / 2))
        let path = model.appearance.truncatedAtStart(upload.path.text, to: max(0, room - target.width))
        let end = frame.put(path, row: row, column: 1, role: .dim, limit: room)
        frame.put(target, row: row, column: end, role: .dim, limit: room - end + 1)
    }

    func drawToast(_ toast: Toast, row: Int, in frame: inout Frame) {
        frame.clear(rows: row..<(row + 1), columns: 0..<model.size.columns)
        let room = model.size.columns - 2
        let role = toast.kind.role(ofInformation: .title)
        let text = model.appearance.truncated(toast.text, to: max(0, room))
        frame.put(text, row: row, column: min(1, model.size.columns - 1), role: role, limit: max(1, room))
    }

    private func problem(_ upload: Upload, room: Int) -> String? {
        if upload.isUncertain {
            let texts = Uncertainty(actions: model.actions).inNote
            return texts.first { $0.count <= room } ?? texts.last
        }
        return upload.failure.map { RowAppearance.advice($0, of: upload) }
    }
}
