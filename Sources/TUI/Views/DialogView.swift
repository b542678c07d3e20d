import FerryProtocols
import FerryUploads

/// Makes the box of the open dialog.
struct DialogView {
    let model: Model

    private var size: Size { model.size }
    private var appearance: Appearance { model.appearance }
    private var table: UploadTable { model.table }

    /// Returns the box; nil for the filter, which is in the last line.
    func box(for dialog: Dialog) -> DialogBox? {
        switch dialog {
        case .filter: nil
        case .details(let first): DetailsView(model: model).box(from: first)
        case .help(let help): HelpView(help: help, size: size, appearance: appearance).box
        case .add(let add): box(for: add)
        case .prompt(let prompt): box(for: prompt)
        case .order:
            question(
                "Sorted by \(table.order.title)", ["Press the same key again to reverse.", ""], .order,
                width: 44)
        case .log(let log): LogDialogView(dialog: log, model: model).box
        case .copy(let copy):
            question(
                "Copy: \(copy.name ?? Strings.count(copy.targets.count, "upload"))", [], .copy, width: 44)
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
        let slotQuestion = "Uploads, from 1 to \(QueueSettings.slotCounts.upperBound): "
        let (title, question, shortQuestion) =
            switch prompt.subject {
            case .bandwidth:
                (
                    "Bandwidth of all uploads", "Limit (20M is 20 MiB/s, 800K, off, auto): ",
                    "Limit (20M, 800K, off, auto):"
                )
            case .concurrency: ("Uploads at once", slotQuestion, slotQuestion)
            }
        let inside = min(64, size.columns - 4)
        let isTwoLines = question.count + 16 > inside
        let shownQuestion = question.count > inside ? shortQuestion : question
        let field = FieldView(
            line: prompt.line, width: max(1, min(16, isTwoLines ? inside : inside - question.count)),
            appearance: appearance)
        var body: [DialogBox.Line] =
            isTwoLines
            ? [[.init(appearance.safe(shownQuestion))], field.spans]
            : [[.init(appearance.safe(question))] + field.spans]
        body.append([.init(appearance.safe(prompt.issue ?? ""), .warning)])
        if case .bandwidth = prompt.subject {
            // The dialog changes only the total limit; the other limits stay.
            for limit in model.status.limits.filter({ $0.scope != .total }).prefix(max(0, size.rows - 12)) {
                let text = limit.listed(at: model.clock.date, in: appearance.zone)
                body.append([.init(appearance.truncated(text, to: inside), .dim)])
            }
        }
        return DialogBox(
            title: appearance.safe(title), body: body,
            keys: DialogBox.keyRows(.prompt, appearance: appearance, width: inside, atMost: size.rows - 5),
            width: 64,
            cursor: Point(row: isTwoLines ? 1 : 0, column: (isTwoLines ? 0 : question.count) + field.cursor))
    }

    private func question(_ title: String, _ text: [String], _ context: Context, width: Int = 50) -> DialogBox
    {
        DialogBox(
            title: appearance.safe(title),
            body: text.flatMap { DialogBox.paragraph($0, appearance: appearance, size: size, width: width) },
            keys: DialogBox.keyLines(context, appearance: appearance, size: size, width: width), width: width)
    }

    private func box(for removal: RemovalDialog) -> DialogBox {
        let count = removal.targets.count
        let what = count == 1 ? removal.name ?? "1 upload" : Strings.count(count, "upload")
        // `bytes` is an estimate without a request to the server. The server has possibly stored fewer bytes.
        let parts = removal.bytes > 0 ? "about " + ByteFormat.sentence(removal.bytes) : "a part"
        let some = removal.onServer == 1 ? "one" : Strings.count(removal.onServer)
        let text = [
            "The server already has \(parts) of \(count == 1 ? "it" : "\(some) of them").",
            (model.actions.label(of: .undo) ?? "undo")
                + " puts \(count == 1 ? "it" : "them") back. After 10 seconds that part is "
                + "deleted there, and \(count == 1 ? "it starts" : "they start") again from 0.",
            "The files on this machine stay.", "",
        ]
        return question("Remove \(what)", text, .removal)
    }

    private func box(for undo: UndoDialog) -> DialogBox {
        let sentence = undo.offer.sentence(
            of: table.phrase(for: undo.offer.ids), at: model.clock.date, in: appearance.zone)
        var text = ["Undo: \(sentence)?", ""]
        if undo.offer.ids.contains(where: table.running.contains), undo.offer.change.stops {
            text.insert("Running ones are stopped.", at: 1)
        }
        return question("Undo", text, .undo)
    }

    private static let quitWidth = 64

    private func quitBox(_ context: Context) -> DialogBox {
        let keys = DialogBox.keyLines(context, appearance: appearance, size: size, width: Self.quitWidth)
        let running = table.running.compactMap { table[$0] }.sorted { $0.rank < $1.rank }
        // The names of the uploads are below their count. A last line counts those that are not shown.
        let lines = min(5, DialogBox.bodyHeight(size, keys: keys.count) - 1)
        let shown = running.prefix(max(0, running.count <= lines ? lines : min(5, lines - 1)))
        let count = Strings.count(running.count, "upload") + (running.count == 1 ? " is" : " are")
        var body: [DialogBox.Line] = [[.init(appearance.safe("\(count) running:"))]]
        let states = shown.map { upload in
            let sent = model.live.progress[upload.id]?.sample.sent ?? upload.confirmed
            let restarts = upload.canResume || context == .leave ? "" : ", starts again from 0"
            return "  \(Strings.percent(sent, of: upload.size))%\(restarts)"
        }
        let inside = min(Self.quitWidth, size.columns - 4)
        let room = max(8, min(36, inside - 2 - (states.map(\.count).max() ?? 0)))
        for (upload, state) in zip(shown, states) {
            let name = appearance.fitted(upload.path.name, to: room)
            body.append([.init(appearance.safe("  ")), .init(name), .init(appearance.safe(state), .dim)])
        }
        if running.count > shown.count {
            let rest = Strings.count(running.count - shown.count)
            body.append([.init(appearance.safe("  and \(rest) more"), .dim)])
        }
        body.append([])
        return DialogBox(title: appearance.safe("Quit"), body: body, keys: keys, width: Self.quitWidth)
    }
}

extension QueueChangeKind {
    fileprivate var stops: Bool {
        switch self {
        case .paused, .removed, .unadded: true
        case .resumed, .putBack, .moved, .limited, .retried: false
        }
    }
}
