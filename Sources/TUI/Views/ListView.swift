import FerryProtocols
import FerryUploads

/// The list of uploads, or the reason why there are none.
struct ListView {
    let model: Model
    let columns: Columns

    init(_ model: Model) {
        self.model = model
        columns = Columns(width: model.size.columns, hasBatches: model.table.batched > 0) {
            let visible = model.list.rows.dropFirst(model.list.top).prefix(model.layout.list.count)
            let names = visible.compactMap { model.table[$0.id]?.path.name }
            return names.map { model.appearance.safe($0).width }.max() ?? 0
        }
    }

    private static let titles: [(column: Columns.Column, title: String, key: RowOrder.Key?, isRight: Bool)] =
        [
            (.number, "#", .queue, true), (.word, "STATE", nil, false), (.name, "NAME", .name, false),
            (.batch, "BATCH", nil, false), (.size, "SIZE", .size, true), (.bar, "PROGRESS", .progress, false),
            (.rate, "RATE", .rate, true), (.remaining, "ETA", .remaining, true), (.target, "TO", nil, false),
        ]

    /// Draws the titles of the columns, with an arrow at the sort. A click on a title sorts the rows.
    func drawHeader(row: Int, in frame: inout Frame) {
        for (column, title, key, isRight) in Self.titles where columns.has(column) {
            let text = title + (key.map(arrow) ?? "")
            // The title of the state begins above the state's symbol.
            let cells = columns[column == .word ? .sign : column]
            let start = isRight ? cells.upperBound - text.count : cells.lowerBound
            let end = frame.put(text, row: row, column: start, role: .header)
            if let key {
                frame.addRegion(rows: row..<(row + 1), columns: start..<end, .action(.orderBy(key)))
            }
        }
    }

    private func arrow(_ key: RowOrder.Key) -> String {
        let order = model.table.order
        guard order.key == key, order != .queue else { return "" }
        return model.appearance.glyphs.order(isAscending: order.isAscending)
    }

    func draw(rows: Range<Int>, in frame: inout Frame) {
        let positions = model.list.rows
        guard !positions.isEmpty else { return drawEmpty(rows: rows, in: &frame) }
        for (offset, row) in rows.enumerated() {
            let index = model.list.top + offset
            guard positions.indices.contains(index), let upload = model.table[positions[index].id] else {
                break
            }
            draw(upload, row: row, in: &frame)
        }
    }

    private func draw(_ upload: Upload, row: Int, in frame: inout Frame) {
        let look = RowAppearance(upload, in: model)
        let appearance = model.appearance
        let isUnderCursor = model.list.cursor?.id == upload.id
        let role: Role = look.sign == .done ? .dim : .normal
        if isUnderCursor {
            frame.put(appearance.glyphs.cursor, row: row, column: 0, role: .key)
            frame.cursor = Point(row: row, column: 0)
        }
        if model.list.marks.contains(upload.id) { frame.put("*", row: row, column: 1, role: .key) }
        putRight(String(upload.id), .number, row: row, .dim, in: &frame)
        put(SafeText(own: appearance.glyphs.state(look.sign)), .sign, row: row, look.role, in: &frame)
        put(SafeText(own: look.word), .word, row: row, look.role, in: &frame)
        put(appearance.fitted(upload.path.name, to: columns[.name].count), .name, row: row, role, in: &frame)
        if let batch = upload.batch {
            put(appearance.truncated(batch, to: columns[.batch].count), .batch, row: row, .dim, in: &frame)
        }
        putRight(ByteFormat.compact(upload.size), .size, row: row, role, in: &frame)
        drawProgress(upload, look, row: row, in: &frame)
        frame.addRegion(rows: row..<(row + 1), columns: 0..<model.size.columns, .upload(upload.id))
        frame.addRegion(rows: row..<(row + 1), columns: 0..<Columns.markWidth, .mark(upload.id))
        if isUnderCursor { frame.markCursorLine(row) }
    }

    private func put(
        _ text: SafeText, _ column: Columns.Column, row: Int, _ role: Role, in frame: inout Frame
    ) {
        let cells = columns[column]
        frame.put(text, row: row, column: cells.lowerBound, role: role, limit: cells.count)
    }

    private func putRight(
        _ text: String, _ column: Columns.Column, row: Int, _ role: Role = .normal, in frame: inout Frame
    ) {
        guard columns.has(column) else { return }
        frame.putRight(text, row: row, end: columns[column].upperBound, role: role)
    }

    private func drawProgress(_ upload: Upload, _ look: RowAppearance, row: Int, in frame: inout Frame) {
        var messageStart = columns[.bar].lowerBound
        // Without a column for the state's word, the column of the rate shows the short form of the state.
        let rate = look.rate.isEmpty && !columns.has(.word) ? look.short : look.rate
        if let part = look.part {
            // The percentage of an empty file would be 0, although its upload is done.
            let percent = look.sign == .done ? 100 : Strings.percent(part, of: upload.size)
            if columns.has(.bar) {
                let fraction = look.sign == .done ? 1 : Double(part) / Double(max(1, upload.size))
                let bar = model.appearance.glyphs.bar(fraction, width: columns[.bar].count)
                let end = frame.put(
                    bar.full, row: row, column: columns[.bar].lowerBound,
                    role: look.role == .running ? .bar : look.role)
                frame.put(bar.rest, row: row, column: end, role: .barRest)
            }
            messageStart = columns[.rate].lowerBound
            // A percentage of 100 is left out if a message or the short form needs the space.
            let isSaidInstead =
                part >= upload.size && look.messages.contains { !fits($0, from: messageStart) }
            let isCovered = look.sign == .done && columns.has(.rate) && rate.count > columns[.rate].count
            if isSaidInstead, columns.has(.remaining) {
                messageStart = columns[.percent].lowerBound
            } else if !isCovered {
                putRight("\(percent)%", .percent, row: row, look.sign == .done ? .dim : .normal, in: &frame)
            }
        }
        guard look.messages.isEmpty else {
            return drawMessage(look, row: row, from: messageStart, in: &frame)
        }
        if columns.has(.rate) { putRight(look.remark, .remaining, row: row, .dim, in: &frame) }
        putRight(rate, .rate, row: row, in: &frame)
        putRight(look.remaining, .remaining, row: row, in: &frame)
        guard columns.has(.target) else { return }
        let target = columns[.target]
        let parts = look.parts.first { fits($0, from: target.lowerBound) }
        let text =
            parts.map(model.appearance.safe)
            ?? model.appearance.truncated(upload.target.destinationText, to: target.count)
        frame.put(text, row: row, column: target.lowerBound, role: .dim)
    }

    private func fits(_ message: String, from column: Int) -> Bool {
        model.appearance.safe(message).width <= model.size.columns - column
    }

    private func drawMessage(_ look: RowAppearance, row: Int, from start: Int, in frame: inout Frame) {
        guard columns.has(.remaining) else {
            return putRight(
                String(look.short.prefix(Columns.rateWidth)), .rate, row: row, look.role, in: &frame)
        }
        let room = model.size.columns - start
        guard let text = model.appearance.fitting(look.messages, in: room) else { return }
        frame.put(text, row: row, column: start, role: look.role, limit: room)
    }

    private func drawEmpty(rows: Range<Int>, in frame: inout Frame) {
        let lines = emptiness
        let first = rows.lowerBound + max(0, (rows.count - lines.count) / 3)
        for (row, line) in zip(first..<rows.upperBound, lines) {
            frame.put(line, row: row, column: 4, role: .dim)
        }
    }

    private var emptiness: [String] {
        if model.isLoading { return ["reading the queue"] }
        if model.table.filter != nil {
            let next = model.actions.phrase(.escape, "clears it.")
            return [Strings.joined(["Nothing here fits the filter.", next], by: "  ")]
        }
        guard model.list.tab == .all else {
            let next = model.actions.phrase(.show(.all), "shows all.")
            return [Strings.joined(["Nothing here.", next], by: "  ")]
        }
        guard !model.adding.destinations.all.isEmpty else {
            return [
                "Nothing to upload yet, and no destination is configured:",
                "`ferry init` sets one up; `ferry add --to URL FILE` needs none.",
            ]
        }
        let ways: [(Action, String)] = [(.add, "add files, or paste their paths"), (.help, "all keys")]
        let labels = ways.map { model.actions.label(of: $0.0) ?? "" }
        let width = max(4, labels.map(CellWidth.of).max() ?? 0) + 1
        return ["Nothing to upload yet.", ""]
            + zip(labels, ways).filter { !$0.0.isEmpty }.map { label, way in
                label + String(repeating: " ", count: width - CellWidth.of(label)) + way.1
            }
    }
}
