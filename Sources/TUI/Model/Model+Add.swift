import FerryProtocols
import FerryTransfer
import FerryUploads

/// The Add dialog: what its keys do, and what it asks outside.
extension Model {
    var newAddDialog: AddDialog {
        AddDialog(destinations: destinations, preferred: lastDestination ?? defaultDestination)
    }

    mutating func openAddDialog() -> [Effect] {
        dialog = .add(newAddDialog)
        return askWhatIsDue() + [.askDestinations]
    }

    mutating func run(_ action: Action, in dialog: AddDialog) -> [Effect] {
        switch action {
        case .cancel: return cancel(dialog)
        case .nextDestination: chooseDestination(dialog)
        case .leftOut: return showLeftOut(dialog)
        default: break
        }
        switch dialog.focus {
        case .line: return runInLine(action, dialog)
        case .list: return runInFolder(action, dialog)
        case .leftOut: scroll(dialog, action)
        }
        return []
    }

    private mutating func runInLine(_ action: Action, _ dialog: AddDialog) -> [Effect] {
        switch action {
        case .confirm: return add(dialog)
        case .complete: return complete(dialog)
        case .browse:
            guard height(of: dialog) > 0 else { return refuse("there is no room for the list") }
            change(dialog) { $0.focus = .list }
        default: break
        }
        return []
    }

    private mutating func cancel(_ dialog: AddDialog) -> [Effect] {
        if case .leftOut(_, let isFromList) = dialog.focus {
            change(dialog) { $0.focus = isFromList ? .list : .line }
            return []
        }
        self.dialog = nil
        guard !dialog.marks.isEmpty else { return [] }
        return refuse("closed; \(Wording.count(dialog.marks.count, "mark")) gone, nothing added")
    }

    private mutating func chooseDestination(_ dialog: AddDialog) {
        guard dialog.destinations.count > 1 else { return }
        var add = dialog
        add.destination = (add.destination + 1) % add.destinations.count
        if case .ready(var preview) = add.preview {
            preview.known = known(preview.selection, in: add)
            add.preview = .ready(preview)
        }
        self.dialog = .add(add)
    }

    /// Changes the dialog; what it chooses now is found out again if that is something else than before.
    mutating func change(_ dialog: AddDialog, _ body: (inout AddDialog) -> Void) {
        var add = dialog
        body(&add)
        settle(add, after: dialog)
    }

    mutating func settle(_ dialog: AddDialog, after before: AddDialog? = nil) {
        var add = dialog
        let height = height(of: add)
        if height == 0, add.focus == .list { add.focus = .line }
        add.browser.keepCursorInView(height: height)
        let known = before ?? dialog
        if add.request != known.request || (add.fileUnderCursor == nil) != (known.fileUnderCursor == nil) {
            // What is under the cursor is in sight, with its size.
            let isKnown = add.request == nil || add.fileUnderCursor != nil
            add.preview = isKnown ? .nothing : .due(at: clock.seconds + AddDialog.patience)
            // What was said before stands where the total of the new choice is to be seen.
            if !layout.hasTabs { toast = nil }
        }
        self.dialog = .add(add)
    }

    func height(of add: AddDialog) -> Int {
        AddView(add: add, size: size, appearance: appearance).listHeight
    }

    mutating func paste(_ text: String, into dialog: AddDialog) {
        let now = clock.seconds
        change(dialog) { add in
            add.paste(text)
            add.completion = nil
            add.deafUntil = now + Dialog.deafness
            add.lineChanged(now: now)
        }
    }
}

/// What is found out outside: where files can go, what a choice comes to, and what is in a folder.
extension Model {
    mutating func take(_ names: DestinationNames) {
        (destinations, defaultDestination) = (names.all, names.preferred)
        guard case .add(var add) = dialog, add.destinations != destinations else { return }
        let isThere = destinations.contains(add.destinationName)
        add.offer(destinations, preferred: isThere ? add.destinationName : defaultDestination)
        if case .ready(var preview) = add.preview {
            preview.known = known(preview.selection, in: add)
            add.preview = .ready(preview)
        }
        dialog = .add(add)
    }

    /// The number of the question what a choice comes to, while it is open.
    var pendingPreview: Int? {
        guard case .add(let add) = dialog, case .asked(let number, _) = add.preview else { return nil }
        return number
    }

    mutating func askWhatIsDue() -> [Effect] {
        guard case .add(var add) = dialog else { return [] }
        var effects: [Effect] = []
        if case .due(let at) = add.preview, clock.seconds >= at, let request = add.request {
            questions += 1
            add.preview = .asked(number: questions, adding: false)
            effects.append(.preview(request, number: questions))
        }
        if case .typed = add.source, case .due(let at) = add.browser.look, clock.seconds >= at {
            questions += 1
            add.browser.ask(number: questions)
            effects.append(.list(add.browser.place, number: questions))
        }
        dialog = .add(add)
        return effects
    }

    mutating func take(_ folder: BrowsedFolder, number: Int) -> [Effect] {
        guard case .add(let before) = dialog else { return [] }
        var add = before
        guard add.browser.take(folder, number: number) else { return [] }
        if case .folder = add.browser.place, before.lineFollows {
            add.source = .typed(LineEditor(folder.text ?? ""))
            add.browser.followed = folder.text
        }
        settle(add, after: before)
        return []
    }

    /// Queues what is chosen, or does so as soon as it is known what that is.
    mutating func add(_ dialog: AddDialog) -> [Effect] {
        guard clock.seconds >= dialog.deafUntil else { return [] }
        guard let request = dialog.request else {
            return dialog.focus == .list ? refuse("nothing is marked") : []
        }
        var add = dialog
        switch add.preview {
        case .nothing, .due:
            questions += 1
            add.preview = .asked(number: questions, adding: true)
            self.dialog = .add(add)
            return [.preview(request, number: questions)]
        case .asked(let number, _):
            add.preview = .asked(number: number, adding: true)
            self.dialog = .add(add)
            return []
        case .ready(let preview): return finish(add, with: preview.selection)
        }
    }

    mutating func take(_ selection: FileSelection, number: Int) -> [Effect] {
        guard case .add(var add) = dialog, case .asked(number, let adding) = add.preview else { return [] }
        add.preview = .ready(AddPreview(selection, known: known(selection, in: add)))
        dialog = .add(add)
        guard adding else { return [] }
        if selection.files.isEmpty {
            // What is under the cursor has no line of its own for what is wrong with it.
            return add.fileUnderCursor == nil ? [] : finish(add, with: selection)
        }
        return selection.files.count <= add.unseenLimit ? finish(add, with: selection) : []
    }

    private mutating func finish(_ add: AddDialog, with selection: FileSelection) -> [Effect] {
        guard !selection.files.isEmpty else {
            let reason = selection.problems.first.map { ": \($0.path.name): \($0.reason)" } ?? ""
            return refuse("nothing to add" + reason)
        }
        // What was marked must not be lost to an answer that is known before.
        guard !add.destinations.isEmpty else {
            return refuse("no destination is configured: ferry init sets one up")
        }
        dialog = nil
        lastDestination = add.destinationName
        return [.add(selection, destination: add.destinationName)]
    }

    private func known(_ selection: FileSelection, in add: AddDialog) -> UploadTable.KnownFiles {
        table.isEmpty
            ? UploadTable.KnownFiles() : table.known(selection.files, to: add.destinationName)
    }

    /// Tab: asks for candidates, then goes through them.
    private mutating func complete(_ dialog: AddDialog) -> [Effect] {
        guard case .typed(let line) = dialog.source else { return [] }
        if var completion = dialog.completion, completion.candidates.count > 1 {
            let next = completion.chosen.map { ($0 + 1) % completion.candidates.count } ?? 0
            completion.chosen = next
            let (chosen, now) = (completion, clock.seconds)
            change(dialog) { add in
                add.source = .typed(LineEditor(chosen.candidates[next]))
                add.completion = chosen
                add.lineChanged(now: now)
            }
            return []
        }
        questions += 1
        completionQuestion = questions
        return [.complete(line.text, number: questions)]
    }

    mutating func take(_ candidates: [String], number: Int) -> [Effect] {
        guard number == completionQuestion, case .add(let dialog) = dialog,
            case .typed(let line) = dialog.source
        else { return [] }
        completionQuestion = nil
        guard let first = candidates.first else {
            // Nothing to complete: the next field is what Tab may have meant.
            if dialog.destinations.count > 1 { return run(.nextDestination, in: dialog) }
            return refuse("nothing begins like this")
        }
        let common = candidates.dropFirst().reduce(first) { common, candidate in
            String(zip(common, candidate).prefix { $0 == $1 }.map(\.0))
        }
        let now = clock.seconds
        change(dialog) { add in
            add.completion = candidates.count > 1 ? .init(candidates: candidates, chosen: nil) : nil
            guard common.count > line.text.count else { return }
            add.source = .typed(LineEditor(common))
            add.lineChanged(now: now)
        }
        return []
    }
}
