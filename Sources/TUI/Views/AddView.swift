import FerryProtocols
import FerryUploads

/// The Add dialog: the typed line, a folder's entries, the total of the chosen files, and the paths left out.
struct AddView {
    let add: AddDialog
    let size: Size
    let appearance: Appearance

    /// The text of the toast on a small screen, where the dialog covers the toast's row.
    var notice: String?

    private static let label = "files "
    /// The rows that the list and the chosen files need before the list gets a line above and below it.
    private static let roomy = 8
    private static let tallest = 30

    /// The number of rows of the list; 0 if it does not fit or the dialog shows a paste.
    var listHeight: Int { parts.list }

    var box: DialogBox {
        let parts = parts
        let width = max(1, inside - Self.label.count)
        var cursor: Point?
        var body: [DialogBox.Line] = []
        switch add.source {
        case .typed(let line):
            let field = FieldView(line: line, width: width, appearance: appearance)
            body.append(
                [.init(safe(Self.label), .dim, target: .action(.toLine))]
                    + field.spans.map { .init($0.text, $0.role, target: .action(.toLine)) })
            cursor = Point(row: 0, column: Self.label.count + field.cursor)
        case .pasted(let text):
            body += pasted(text, width: width)
        }
        body.append(destinationLine(showsMarks: parts.rule == 0))
        let list = FolderBrowserView(
            browser: add.browser, isActive: add.focus == .list, width: inside, height: parts.list,
            appearance: appearance)
        if parts.rule > 0 { body.append(list.header) }
        if add.focus == .list { cursor = Point(row: body.count + list.cursorRow, column: 0) }
        var offered: [DialogBox.Line]?
        if case .offered(let all, let chosen) = add.completion {
            let room = parts.list > 0 ? parts.list : parts.result
            offered = candidates(all, chosen: chosen, width: inside, room: room)
        }
        if parts.list > 0 { body += DialogBox.filled(offered ?? list.lines, to: parts.list) }
        if parts.rule > 0 { body.append(list.rule) }
        let result = result(width: inside, room: parts.result)
        body += parts.list > 0 ? DialogBox.filled(result, to: parts.result) : offered ?? result
        return DialogBox(title: safe("Add"), body: body, keys: keys, width: inside, cursor: cursor)
    }

    private var inside: Int { max(1, min(size.columns - 4, 100)) }

    /// The rows of each part. They do not depend on the folder or the chosen files, so that no part moves.
    private var parts: (rule: Int, list: Int, result: Int) {
        // The last lines of a large screen stay visible.
        let outside = size.rows >= 18 ? 3 : 0
        guard case .typed = add.source else { return (0, 0, max(2, size.rows - 12)) }
        let room = DialogBox.bodyHeight(size, keys: keys.count) - outside - 2
        guard room > 1 else { return (0, 0, 1) }
        guard room - 3 >= Self.roomy else { return (0, room - 1, 1) }
        let details = min(8, (room - 3) / 4)
        return (1, min(Self.tallest, room - 3 - details), 1 + details)
    }

    private var keys: [DialogBox.Line] {
        var omitted: Set<Action> = []
        if add.destinations.count < 2 { omitted.insert(.nextDestination) }
        if case .pasted = add.source { omitted.formUnion([.complete, .browse]) }
        let context: Context = add.focus == .list ? .browse : .add
        let most =
            [Context.add, .browse].map { keyRows($0, omitting: omitted, opens: true).count }.max() ?? 1
        if add.marks.isEmpty { omitted.insert(.unmarkAll) }
        if add.request == nil || add.fileUnderCursor != nil { omitted.insert(.add) }
        if add.problems.isEmpty { omitted.insert(.leftOut) }
        let browser = add.browser
        // If Enter opens the folder, no other key for that is shown.
        if browser.opensOnEnter || !browser.isOnFolder { omitted.insert(.open) }
        return DialogBox.filled(
            keyRows(context, omitting: omitted, opens: browser.opensOnEnter), to: most)
    }

    private func keyRows(_ context: Context, omitting: Set<Action>, opens: Bool) -> [DialogBox.Line] {
        DialogBox.keyRows(
            context, appearance: appearance, width: inside,
            atMost: min(size.rows >= 14 ? 5 : 3, size.rows - 7),
            omitting: omitting, words: opens && context == .browse ? [.confirm: "open"] : [:])
    }

    private func destinationLine(showsMarks: Bool) -> DialogBox.Line {
        let name = add.destinationName
        var line: DialogBox.Line = [
            .init(safe("to    "), .dim), .init(safe(name.isEmpty ? "(no destination)" : name), .title),
        ]
        let showsMarks = showsMarks && !add.marks.isEmpty
        if add.destinations.count > 1, !showsMarks {
            line.append(.init(safe("   \(add.destination + 1) of \(add.destinations.count)"), .dim))
        }
        if showsMarks { line.append(.init(safe("   " + FolderBrowserView.count(add.browser)), .key)) }
        return line
    }

    private func pasted(_ text: String, width: Int) -> [DialogBox.Line] {
        let lines = text.split(whereSeparator: \.isNewline)
        let shown = lines.prefix(3).map { line in
            let text = appearance.truncatedAtStart(String(line.prefix(1000)), to: width)
            return [DialogBox.Span(safe("      ")), DialogBox.Span(text)]
        }
        let count = "\(Strings.count(lines.count, "line")) pasted; Backspace clears"
        return [[.init(safe(Self.label), .dim), .init(safe(count), .dim)]] + shown
    }

    private func candidates(_ all: [String], chosen: Int?, width: Int, room: Int) -> [DialogBox.Line] {
        let first = max(0, min((chosen ?? 0) - room / 2, all.count - room))
        return all.enumerated().dropFirst(first).prefix(room).map { index, candidate in
            let text = appearance.truncatedAtStart(candidate, to: max(0, width - 2))
            return [.init(safe("  ")), .init(text, index == chosen ? .selection : .dim)]
        }
    }

    private func result(width: Int, room: Int) -> [DialogBox.Line] {
        if let notice { return [[.init(safe(notice), .warning)]] }
        return switch add.preview {
        case .nothing: [[choice]]
        case .due, .asked: [[.init(safe("looking"), .dim)]]
        case .ready(let preview): summary(of: preview, width: width, room: room)
        }
    }

    /// The file that Enter would add, or the reason why nothing is chosen, or an example.
    private var choice: DialogBox.Span {
        if let (path, entry) = add.fileUnderCursor {
            var text = appearance.fitted(path.name, to: max(1, inside - 12))
            if case .file(let size) = entry.kind {
                text.units += safe(", \(ByteFormat.sentence(Int128(size)))").units
            }
            return .init(text, .title)
        }
        let example = "a path, or a pattern such as ~/out/*.mov; paste works too"
        return .init(safe(add.focus == .list ? "nothing marked" : example), .dim)
    }

    private func summary(of preview: AddPreview, width: Int, room: Int) -> [DialogBox.Line] {
        let selection = preview.selection
        let count = selection.files.count
        let total = "\(Strings.count(count, "file")), \(ByteFormat.sentence(preview.bytes))"
        let problems = selection.problems.count
        let leftOut = problems > 0 ? "\(Strings.count(problems)) left out" : nil
        // Shows the longest remark that fits.
        let known = preview.known
        let remarks = [("already queued", "already done"), ("queued", "done")].map { queuedWord, doneWord in
            let queued = known.queued > 0 ? "\(Strings.count(known.queued)) \(queuedWord)" : nil
            let done = known.done > 0 ? "\(Strings.count(known.done)) \(doneWord)" : nil
            return [queued, done, leftOut].compactMap(\.self).joined(separator: ", ")
        }
        let remark = remarks.first { total.count + 2 + $0.count <= width } ?? remarks.last ?? ""
        var lines: [DialogBox.Line] = [
            [.init(safe(total), count > 0 ? .title : .dim), .init(safe("  " + remark), .warning)]
        ]
        let forProblems = min(selection.problems.count, max(0, room - 1), max(1, (room - 1) / 2))
        let forFiles = max(0, room - 1 - forProblems)
        for file in selection.files.prefix(forFiles) {
            let amount = ByteFormat.compact(file.identity.size)
            let name = appearance.fitted(file.relativeName, to: max(1, width - 9))
            let gap = String(repeating: " ", count: max(1, width - 2 - name.width - amount.count))
            lines.append([.init(safe("  ")), .init(name), .init(safe(gap + amount), .dim)])
        }
        for problem in selection.problems.prefix(forProblems) {
            lines.append(LeftOutView.line(problem, width: width, appearance: appearance))
        }
        return lines
    }

    private func safe(_ text: String) -> SafeText { appearance.safe(text) }
}
