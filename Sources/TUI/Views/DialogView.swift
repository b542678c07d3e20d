import FerryProtocols
import FerryTransfer
import FerryUploads

/// The box of the open dialog.
struct DialogView {
    let model: Model

    private var size: Size { model.size }
    private var appearance: Appearance { model.appearance }
    private var table: UploadTable { model.table }

    /// Returns the box; nil for a dialog in the last line.
    func box(for dialog: Dialog) -> DialogBox? {
        switch dialog {
        case .filter: nil
        case .details(let first): DetailsView(model: model).box(from: first)
        case .help(let help): HelpView(help: help, size: size, appearance: appearance).box
        case .add(let add): box(for: add)
        case .prompt(let prompt): box(for: prompt)
        case .order: orderBox
        case .log(let log): LogDialogView(dialog: log, model: model).box
        case .copy(let copy): box(for: copy)
        case .removal(let removal): box(for: removal)
        case .undo(let undo): box(for: undo)
        case .quit: quitBox(dialog.context)
        }
    }

    private func box(for add: AddDialog) -> DialogBox {
        guard case .leftOut = add.focus else {
            return AddView(
                add: add, size: size, appearance: appearance,
                notice: model.layout.hasTabs ? nil : model.toast.current?.text
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
        body.append([.init(appearance.safe(prompt.issue ?? ""), .warning)])
        if case .bandwidth = prompt.subject {
            // The dialog changes only the total limit; the other limits stay.
            for limit in model.status.limits.filter({ $0.scope != .total }).prefix(max(0, size.rows - 12)) {
                let text = appearance.safe(limit.listed(at: model.clock.date, in: appearance.zone))
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
            title: appearance.safe("Sorted by \(table.order.title)"),
            body: [[.init(appearance.safe("Press the same key again to reverse."))], []],
            keys: DialogBox.keyLines(.order, appearance: appearance, size: size, width: 44), width: 44)
    }

    private func box(for copy: CopyDialog) -> DialogBox {
        let title =
            copy.name.map { "Copy: \($0)" } ?? "Copy: \(Strings.count(copy.targets.count, "upload"))"
        return DialogBox(
            title: appearance.safe(title), body: [],
            keys: DialogBox.keyLines(.copy, appearance: appearance, size: size, width: 44), width: 44)
    }

    private func box(for removal: RemovalDialog) -> DialogBox {
        let count = removal.targets.count
        let title =
            count == 1 ? "Remove \(removal.name ?? "1 upload")" : "Remove \(Strings.count(count, "upload"))"
        // The server is not asked, so this is the number of sent bytes rather than its own count.
        let parts = removal.bytes > 0 ? "about " + ByteFormat.sentence(removal.bytes) : "a part"
        let first =
            count == 1
            ? "The server already has \(parts) of it."
            : removal.onServer == 1
                ? "The server already has \(parts) of one of them."
                : "The server already has \(parts) of \(Strings.count(removal.onServer)) of them."
        let text = [
            first,
            (model.actions.label(of: .undo) ?? "undo")
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
        let told = undo.offer.told(
            of: table.phrase(for: undo.offer.ids), at: model.clock.date, in: appearance.zone)
        var text = ["Undo: \(told)?", ""]
        if undo.offer.ids.contains(where: table.running.contains), undo.offer.change.stops {
            text.insert("Running ones are stopped.", at: 1)
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
        // The names are below their count, with a last line for those that are not shown.
        let lines = min(5, DialogBox.bodyHeight(size, keys: keys.count) - 1)
        let shown = running.prefix(max(0, running.count <= lines ? lines : min(5, lines - 1)))
        var body: [DialogBox.Line] = [
            [
                .init(
                    appearance.safe(
                        running.count == 1
                            ? "1 upload is running:" : "\(Strings.count(running.count)) uploads are running:")
                )
            ]
        ]
        let states = shown.map { upload in
            let sent = model.live.progress[upload.id]?.sample.sent ?? upload.confirmed
            let restarts = upload.canResume || context == .leave ? "" : ", starts again from 0"
            return "  \(Strings.percent(sent, of: upload.size))%\(restarts)"
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
                .init(appearance.safe("  and \(Strings.count(running.count - shown.count)) more"), .dim)
            ])
        }
        body.append([])
        return DialogBox(
            title: appearance.safe("Quit"), body: body, keys: keys, width: Self.quitWidth)
    }
}

extension QueueChangeKind {
    /// True if the undo stops running uploads.
    fileprivate var stops: Bool {
        switch self {
        case .paused, .removed, .unadded: true
        case .resumed, .putBack, .moved, .limited: false
        }
    }
}
