import FerryUploads

/// The handlers of the Add dialog's keys.
extension AddDialog {
    mutating func update(_ action: Action, _ around: inout AddSurroundings) -> DialogOutcome {
        switch action {
        case .cancel: return cancel(around)
        case .nextDestination where destinations.count > 1:
            destination = (destination + 1) % destinations.count
            recount(in: around.table)
        case .leftOut: return showLeftOut(around)
        default: break
        }
        switch focus {
        case .line: return updateLine(action, &around)
        case .list: return updateList(action, &around)
        case .leftOut: scroll(action, around)
        }
        return .stay()
    }

    private mutating func updateLine(_ action: Action, _ around: inout AddSurroundings) -> DialogOutcome {
        switch action {
        case .confirm: return add(&around)
        case .complete: return complete(&around)
        case .browse:
            guard around.height(of: self) > 0 else { return .refuse("there is no room for the list") }
            change(around) { $0.focus = .list }
        default: break
        }
        return .stay()
    }

    private mutating func cancel(_ around: AddSurroundings) -> DialogOutcome {
        if case .leftOut(_, let isFromList) = focus {
            change(around) { $0.focus = isFromList ? .list : .line }
            return .stay()
        }
        let gone = "closed; \(Strings.count(marks.count, "mark")) gone, nothing added"
        return .close(marks.isEmpty ? nil : gone)
    }

    mutating func type(_ key: Key, _ around: AddSurroundings) {
        change(around) { add in
            guard add.edit(key) else { return }
            add.completion = .none
            add.lineChanged(now: around.now)
        }
    }

    mutating func paste(_ text: String, _ around: AddSurroundings) {
        change(around) { add in
            add.paste(text)
            add.completion = .none
            add.ignoresConfirmUntil = around.now + Dialog.settling
            add.lineChanged(now: around.now)
        }
    }

    /// Changes the dialog. If Enter would now add other files than before, schedules a search for them.
    mutating func change(_ around: AddSurroundings, _ body: (inout AddDialog) -> Void) {
        let before = self
        body(&self)
        settle(around, after: before)
    }

    mutating func settle(_ around: AddSurroundings) { settle(around, after: self) }

    private mutating func settle(_ around: AddSurroundings, after before: AddDialog) {
        let height = around.height(of: self)
        if height == 0, focus == .list { focus = .line }
        browser.keepCursorInView(height: height)
        guard choosesDifferently(than: before) else { return }
        // The file under the cursor needs no search: the list shows it with its size.
        let isKnown = request == nil || fileUnderCursor != nil
        preview = isKnown ? .nothing : .due(at: around.now + Self.typingRest)
    }

    func choosesDifferently(than other: AddDialog) -> Bool {
        request != other.request || (fileUnderCursor == nil) != (other.fileUnderCursor == nil)
    }

    /// Puts the next completion into the line, or requests completions of it.
    private mutating func complete(_ around: inout AddSurroundings) -> DialogOutcome {
        guard case .typed(let line) = source else { return .stay() }
        if case .offered(let candidates, let chosen) = completion, candidates.count > 1 {
            let next = chosen.map { ($0 + 1) % candidates.count } ?? 0
            change(around) { [now = around.now] add in
                add.source = .typed(LineEditor(candidates[next]))
                add.completion = .offered(candidates, chosen: next)
                add.lineChanged(now: now)
            }
            return .stay()
        }
        let number = around.settings.nextQuestion()
        completion = .asked(number: number)
        return .stay([.complete(line.text, number: number)])
    }

    /// Adds the chosen files, once the search for them has ended. More than `unseenLimit` files need a second Enter.
    mutating func add(_ around: inout AddSurroundings) -> DialogOutcome {
        guard around.now >= ignoresConfirmUntil else { return .stay() }
        guard let request else { return focus == .list ? .refuse("nothing is marked") : .stay() }
        switch preview {
        case .nothing, .due:
            let number = around.settings.nextQuestion()
            preview = .asked(number: number, adding: true)
            return .stay([.preview(request, number: number)])
        case .asked(let number, _):
            preview = .asked(number: number, adding: true)
            return .stay()
        case .ready(let preview): return finish(with: preview.selection, &around)
        }
    }

    private func finish(with selection: FileSelection, _ around: inout AddSurroundings) -> DialogOutcome {
        guard !selection.files.isEmpty else {
            let reason = selection.problems.first.map { ": \($0.path.name): \($0.reason)" } ?? ""
            return .refuse("nothing to add" + reason)
        }
        // The dialog stays open, so that the marks are not lost.
        guard !destinations.isEmpty else {
            return .refuse("no destination is configured: `ferry init` sets one up")
        }
        around.settings.lastDestination = destinationName
        return .close(nil, [.add(selection, destination: destinationName)])
    }
}

/// The Add dialog's requests and their results.
extension AddDialog {
    /// Returns the requests whose time has come. During a paste, no folder is read.
    mutating func askWhatIsDue(_ around: inout AddSurroundings) -> DialogOutcome {
        var effects: [Effect] = []
        if case .due(let at) = preview, around.now >= at, let request {
            let number = around.settings.nextQuestion()
            preview = .asked(number: number, adding: false)
            effects.append(.preview(request, number: number))
        }
        if case .typed = source, case .due(let at) = browser.look, around.now >= at {
            let number = around.settings.nextQuestion()
            browser.ask(number: number)
            effects.append(.list(browser.reference, number: number))
        }
        return .stay(effects)
    }

    mutating func takeDestinations(_ around: AddSurroundings) {
        let names = around.settings.destinations
        guard destinations != names.all else { return }
        let isThere = names.all.contains(destinationName)
        offer(names.all, preferred: isThere ? destinationName : names.preferred)
        recount(in: around.table)
    }

    mutating func take(_ folder: BrowsedFolder, number: Int, _ around: AddSurroundings) {
        let followed = lineFollows
        change(around) { add in
            let isShown = add.browser.take(folder, number: number)
            guard isShown, followed, case .folder = add.browser.reference else { return }
            add.source = .typed(LineEditor(folder.text ?? ""))
            add.browser.followed = folder.text
        }
    }

    mutating func take(
        _ selection: FileSelection, past: [Upload], number: Int, _ around: inout AddSurroundings
    ) -> DialogOutcome {
        guard case .asked(number, let adding) = preview else { return .stay() }
        preview = .ready(AddPreview(selection, past: past))
        recount(in: around.table)
        guard adding else { return .stay() }
        if selection.files.isEmpty {
            // The dialog has no line for the problem of the file under the cursor, so a message shows it.
            return fileUnderCursor == nil ? .stay() : finish(with: selection, &around)
        }
        return selection.files.count <= unseenLimit ? finish(with: selection, &around) : .stay()
    }

    mutating func take(_ candidates: [String], number: Int, _ around: inout AddSurroundings) -> DialogOutcome
    {
        guard case .asked(number) = completion, case .typed(let line) = source else { return .stay() }
        completion = .none
        guard let first = candidates.first else {
            // Nothing can be completed, so the user probably means the next field, the destination.
            if destinations.count > 1 { return update(.nextDestination, &around) }
            return .refuse("no match")
        }
        let common = candidates.dropFirst().reduce(first) { common, candidate in
            String(zip(common, candidate).prefix { $0 == $1 }.map(\.0))
        }
        change(around) { [now = around.now] add in
            add.completion = candidates.count > 1 ? .offered(candidates, chosen: nil) : .none
            guard common.count > line.text.count else { return }
            add.source = .typed(LineEditor(common))
            add.lineChanged(now: now)
        }
        return .stay()
    }

    private mutating func recount(in table: UploadTable) {
        guard case .ready(var preview) = preview else { return }
        preview.known = table.known(preview.selection.files, to: destinationName, past: preview.past)
        self.preview = .ready(preview)
    }
}
