/// The newest entries of the log, below the list.
struct LogView {
    let model: Model

    /// Draws the entries above a toast. A toast with the text of the newest entry covers that entry.
    func draw(rows: Range<Int>, in frame: inout Frame) {
        var rows = rows
        if let toast = model.toast.current, let row = model.layout.noteRow, rows.contains(row),
            model.log.entries.last?.text != toast.text
        {
            rows = rows.lowerBound..<row
        }
        for (entry, row) in zip(model.log.entries.suffix(rows.count), rows) {
            let line = Self.spans(entry, appearance: model.appearance, width: model.size.columns - 2)
            frame.put(line, row: row, column: 1)
            if let upload = entry.upload {
                frame.addRegion(rows: row..<(row + 1), columns: 0..<model.size.columns, .upload(upload))
            }
        }
    }

    static func spans(_ entry: LogEntry, appearance: Appearance, width: Int) -> DialogBox.Line {
        let start = Self.start(entry, appearance: appearance)
        let room = width - start.reduce(0) { $0 + $1.text.width }
        let text = appearance.truncated(entry.text, to: max(0, room))
        return start + [.init(text, entry.level == .information ? .dim : .normal)]
    }

    /// Returns the time and the level of an entry: `14:02:11 warn  `.
    static func start(_ entry: LogEntry, appearance: Appearance) -> DialogBox.Line {
        let time = Strings.timeOfDay(entry.date, in: appearance.zone)
        let word = Strings.padded(entry.level.word, 5)
        return [
            .init(appearance.safe(time + " "), .dim),
            .init(appearance.safe(word + " "), entry.level.role(ofInformation: .dim)),
        ]
    }
}
