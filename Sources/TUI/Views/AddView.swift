import Transfer
import UploadProtocols
import Uploads

/// The text, what it would add, and what was left out and why.
struct AddView {
    let add: AddDialog
    let size: Size
    let appearance: Appearance

    private static let label = "files "

    var box: DialogBox {
        let inside = max(1, min(size.columns - 4, 100))
        let width = max(1, inside - Self.label.count)
        var cursor: Point?
        var body: [DialogBox.Line] = []
        switch add.source {
        case .typed(let line):
            let field = FieldView(line: line, width: width, appearance: appearance)
            body.append([.init(safe(Self.label), .dim)] + field.pieces)
            cursor = Point(row: 0, column: Self.label.count + field.cursor)
        case .pasted(let text):
            body += pasted(text, width: width)
        }
        body.append(destinationLine)
        if size.rows >= 10 { body.append([]) }
        let keys = keys(width: inside)
        let room = max(2, size.rows - body.count - keys.count - 4)
        if let completion = add.completion {
            body += candidates(completion, width: inside, room: room)
        } else {
            body += result(width: inside, room: min(room, 12))
        }
        return DialogBox(title: safe("Add"), body: body, keys: keys, width: inside, cursor: cursor)
    }

    private func keys(width: Int) -> [DialogBox.Line] {
        var omitted: Set<Action> = []
        if add.destinations.count < 2 { omitted.insert(.nextDestination) }
        if case .pasted = add.source { omitted.insert(.complete) }
        return DialogBox.keyRows(
            .add, appearance: appearance, width: width, atMost: size.rows - 7, omitting: omitted)
    }

    private var destinationLine: DialogBox.Line {
        let name = add.destinationName
        var line: DialogBox.Line = [
            .init(safe("to    "), .dim), .init(safe(name.isEmpty ? "(no destination)" : name), .title),
        ]
        if add.destinations.count > 1 {
            line.append(.init(safe("   \(add.destination + 1) of \(add.destinations.count)"), .dim))
        }
        return line
    }

    private func pasted(_ text: String, width: Int) -> [DialogBox.Line] {
        let lines = text.split(whereSeparator: \.isNewline)
        let shown = lines.prefix(3).map { line in
            let text = safe(String(line.prefix(1000))).truncatedAtStart(
                to: width, ellipsis: appearance.glyphs.ellipsis)
            return [DialogBox.Piece(safe("      ")), DialogBox.Piece(text)]
        }
        let count = "\(Wording.count(lines.count, "line")) pasted; Backspace clears"
        return [[.init(safe(Self.label), .dim), .init(safe(count), .dim)]] + shown
    }

    private func candidates(_ completion: AddDialog.Completion, width: Int, room: Int) -> [DialogBox.Line] {
        let all = completion.candidates
        let first = max(0, min((completion.chosen ?? 0) - room / 2, all.count - room))
        return all.enumerated().dropFirst(first).prefix(room).map { index, candidate in
            let text = safe(candidate).truncatedAtStart(
                to: max(0, width - 2), ellipsis: appearance.glyphs.ellipsis)
            return [.init(safe("  ")), .init(text, index == completion.chosen ? .selection : .dim)]
        }
    }

    private func result(width: Int, room: Int) -> [DialogBox.Line] {
        switch add.preview {
        case .nothing: [[.init(safe("a path, or a pattern such as ~/out/*.mov; paste works too"), .dim)]]
        case .due, .asked: [[.init(safe("looking"), .dim)]]
        case .ready(let selection): summary(of: selection, width: width, room: room)
        }
    }

    private func summary(of selection: FileSelection, width: Int, room: Int) -> [DialogBox.Line] {
        let bytes = selection.files.reduce(Int128(0)) { $0 + Int128($1.identity.size) }
        let count = selection.files.count
        let total = "\(Wording.count(count, "file")), \(ByteFormat.sentence(bytes))"
        let skipped =
            selection.problems.isEmpty ? "" : "   \(Wording.count(selection.problems.count)) left out"
        var lines: [DialogBox.Line] = [
            [.init(safe(total), count > 0 ? .title : .dim), .init(safe(skipped), .warning)]
        ]
        let forProblems = min(selection.problems.count, max(1, (room - 1) / 2))
        let forFiles = max(0, room - 1 - forProblems)
        for file in selection.files.prefix(forFiles) {
            let amount = ByteFormat.compact(file.identity.size)
            let name = safe(file.relativeName).fitted(
                to: max(1, width - 9), ellipsis: appearance.glyphs.ellipsis)
            let gap = String(repeating: " ", count: max(1, width - 2 - name.width - amount.count))
            lines.append([.init(safe("  ")), .init(name), .init(safe(gap + amount), .dim)])
        }
        for problem in selection.problems.prefix(forProblems) {
            let reason = safe(problem.reason)
            let name = safe(problem.path.text)
                .truncatedAtStart(
                    to: max(1, width - 4 - min(reason.width, width / 2)), ellipsis: appearance.glyphs.ellipsis
                )
            lines.append([
                .init(safe("  ")), .init(name, .dim), .init(safe(": "), .dim), .init(reason, .warning),
            ])
        }
        return lines
    }

    private func safe(_ text: String) -> SafeText { appearance.safe(text) }
}
