import FerryProtocols
import FerryTransfer
import FerryUploads

extension Model {
    /// The box for the dialog that is open.
    /// nil for what is typed in the last line.
    func box(for dialog: Dialog) -> DialogBox? {
        switch dialog {
        case .filter: nil
        case .details(let first): DetailsView(model: self).box(from: first)
        case .help(let help): HelpView(help: help, size: size, appearance: appearance).box
        case .add(let add): box(for: add)
        case .prompt(let prompt): box(for: prompt)
        case .order: orderBox
        case .log(let log): LogDialogView(dialog: log, model: self).box
        case .copy(let copy): box(for: copy)
        case .removal(let removal): box(for: removal)
        case .undo(let undo): box(for: undo)
        case .quit: quitBox(dialog.context)
        }
    }

    private func box(for add: AddDialog) -> DialogBox {
        guard case .leftOut = add.focus else {
            return AddView(
                add: add, size: size, appearance: appearance, notice: layout.hasTabs ? nil : toast?.text
            ).box
        }
        return LeftOutView(add: add, size: size, appearance: appearance).box
    }

    private func box(for prompt: PromptDialog) -> DialogBox {
        let (title, question, shortQuestion) =
            switch prompt.subject {
            case .bandwidth:
                (
                    "Bandwidth of all uploads", "Bytes per second (20M, 800K, off, auto): ",
                    "Per second (20M, 800K, off, auto):"
                )
            case .concurrency: ("Uploads at once", "Uploads, from 1 to 256: ", "Uploads, from 1 to 256: ")
            }
        let inside = min(64, size.columns - 4)
        let isTwoLines = question.count + 16 > inside
        let shownQuestion = question.count > inside ? shortQuestion : question
        let field = FieldView(
            line: prompt.line, width: max(1, min(16, isTwoLines ? inside : inside - question.count)),
            appearance: appearance)
        var body: [DialogBox.Line] =
            isTwoLines
            ? [[.init(appearance.safe(shownQuestion))], field.pieces]
            : [[.init(appearance.safe(question))] + field.pieces]
        body.append([.init(appearance.safe(prompt.problem ?? ""), .warning)])
        if case .bandwidth = prompt.subject {
            // What is said here of all uploads does not change them.
            for limit in status.limits.filter({ $0.scope != .total }).prefix(max(0, size.rows - 12)) {
                let text = appearance.safe(limit.listed(at: clock.date, in: appearance.zone))
                body.append([.init(text.truncated(to: inside, ellipsis: appearance.glyphs.ellipsis), .dim)])
            }
        }
        return DialogBox(
            title: appearance.safe(title), body: body,
            keys: DialogBox.keyRows(.prompt, appearance: appearance, width: inside, atMost: size.rows - 5),
            width: 64,
            cursor: Point(row: isTwoLines ? 1 : 0, column: (isTwoLines ? 0 : question.count) + field.cursor))
    }

    private var orderBox: DialogBox {
        DialogBox(
            title: appearance.safe("Rows by \(table.order.title)"),
            body: [[.init(appearance.safe("The same once more turns it round."))], []],
            keys: DialogBox.keyLines(.order, appearance: appearance, size: size, width: 44), width: 44)
    }

    private func box(for copy: CopyDialog) -> DialogBox {
        let title =
            copy.name.map { "Copy of \($0)" } ?? "Copy of \(Wording.count(copy.targets.count, "upload"))"
        return DialogBox(
            title: appearance.safe(title), body: [],
            keys: DialogBox.keyLines(.copy, appearance: appearance, size: size, width: 44), width: 44)
    }

    private func box(for removal: RemovalDialog) -> DialogBox {
        let count = removal.targets.count
        let title =
            count == 1 ? "Remove \(removal.name ?? "1 upload")" : "Remove \(Wording.count(count, "upload"))"
        // The server is not asked, so this is what was sent rather than what it would say.
        let parts = removal.bytes > 0 ? "about " + ByteFormat.sentence(removal.bytes) : "a part"
        let first =
            count == 1
            ? "The server already holds \(parts) of it."
            : removal.onServer == 1
                ? "Of one of them the server already holds \(parts)."
                : "Of \(Wording.count(removal.onServer)) of them the server already holds \(parts)."
        let text = [
            first,
            (actions.label(of: .undo) ?? "undo")
                + " puts \(count == 1 ? "it" : "them") back. After 10 seconds that part is "
                + "deleted there, and \(count == 1 ? "it starts" : "they start") again from 0.",
            "The files on this machine are never touched.", "",
        ]
        return DialogBox(
            title: appearance.safe(title),
            body: text.flatMap {
                DialogBox.paragraph($0, appearance: appearance, size: size, width: Self.removalWidth)
            },
            keys: DialogBox.keyLines(.removal, appearance: appearance, size: size, width: Self.removalWidth),
            width: Self.removalWidth)
    }

    private func box(for undo: UndoDialog) -> DialogBox {
        let told = undo.offer.told(of: what(undo.offer.ids), at: clock.date, in: appearance.zone)
        var text = ["Undo: \(told)?", ""]
        if undo.offer.ids.contains(where: table.running.contains), undo.offer.change.stops {
            text.insert("What runs of that is stopped.", at: 1)
        }
        return DialogBox(
            title: appearance.safe("Undo"),
            body: text.flatMap {
                DialogBox.paragraph($0, appearance: appearance, size: size, width: Self.removalWidth)
            },
            keys: DialogBox.keyLines(.undo, appearance: appearance, size: size, width: Self.removalWidth),
            width: Self.removalWidth)
    }

    private static let removalWidth = 50
    private static let quitWidth = 64

    private func quitBox(_ context: Context) -> DialogBox {
        let keys = DialogBox.keyLines(context, appearance: appearance, size: size, width: Self.quitWidth)
        let running = table.running.compactMap { table[$0] }.sorted { $0.rank < $1.rank }
        // Below their number, and with a line for those that are not shown.
        let lines = min(5, DialogBox.bodyHeight(size, keys: keys.count) - 1)
        let shown = running.prefix(max(0, running.count <= lines ? lines : min(5, lines - 1)))
        var body: [DialogBox.Line] = [
            [
                .init(
                    appearance.safe(
                        running.count == 1
                            ? "1 upload is running:" : "\(Wording.count(running.count)) uploads are running:")
                )
            ]
        ]
        let states = shown.map { upload in
            let sent = live[upload.id]?.sample.sent ?? upload.confirmed
            let restarts = upload.canResume || context == .leave ? "" : ", starts again from 0"
            return "  \(Wording.percent(sent, of: upload.size))%\(restarts)"
        }
        let inside = min(Self.quitWidth, size.columns - 4)
        let room = max(8, min(36, inside - 2 - (states.map(\.count).max() ?? 0)))
        for (upload, state) in zip(shown, states) {
            let name = appearance.safe(upload.path.name).fitted(
                to: room, ellipsis: appearance.glyphs.ellipsis)
            body.append([.init(appearance.safe("  ")), .init(name), .init(appearance.safe(state), .dim)])
        }
        if running.count > shown.count {
            body.append([
                .init(appearance.safe("  and \(Wording.count(running.count - shown.count)) more"), .dim)
            ])
        }
        body.append([])
        return DialogBox(
            title: appearance.safe("Quit"), body: body, keys: keys, width: Self.quitWidth)
    }
}

extension QueueChangeKind {
    /// True if uploads that run are stopped by it.
    fileprivate var stops: Bool {
        switch self {
        case .paused, .removed, .unadded: true
        case .resumed, .putBack, .moved, .limited: false
        }
    }
}
