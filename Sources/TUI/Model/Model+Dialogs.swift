/// The handlers of actions in the dialogs.
extension Model {
    mutating func run(_ action: Action) -> [Effect] {
        switch dialog {
        case nil: return runInList(action)
        case .details(let first): return runInDetails(action, from: first)
        case .help(var help):
            let outcome = help.update(action, actions: actions, size: size)
            dialog = .help(help)
            return finish(outcome)
        case .add: return updateAdd { $0.update(action, &$1) }
        case .prompt(var prompt):
            let outcome = prompt.update(action)
            dialog = .prompt(prompt)
            return finish(outcome)
        case .filter: runInFilter(action)
        case .order:
            dialog = nil
            if case .orderBy(let key) = action { return sort(by: key) }
        case .log(var shown):
            let outcome = shown.update(action, log: log, size: size)
            dialog = .log(shown)
            return finish(outcome)
        case .copy(let copy): return finish(copy.update(action, table: table))
        case .removal(let removal): return finish(removal.update(action))
        case .undo(let undo): return finish(undo.update(action))
        case .quit: return runInQuit(action)
        }
        return []
    }

    private mutating func finish(_ outcome: DialogOutcome) -> [Effect] {
        switch outcome {
        case .stay(let effects): return effects
        case .refuse(let why): return refuse(why)
        case .close(let text, let effects):
            dialog = nil
            if let text { say(.information, text) }
            return effects
        case .run(let action):
            dialog = nil
            return runInList(action)
        case .show(let id):
            guard list.jump(to: id) else { return refuse("it is no longer in the queue") }
            dialog = nil
            return []
        }
    }

    /// Lets `change` handle an event in the Add dialog, if it is open, and acts on the outcome.
    mutating func updateAdd(
        _ change: (inout AddDialog, inout AddSurroundings) -> DialogOutcome
    ) -> [Effect] {
        guard case .add(let before) = dialog else { return [] }
        var add = before
        var around = AddSurroundings(
            settings: adding, table: table, size: size, appearance: appearance, now: clock.seconds)
        let outcome = change(&add, &around)
        adding = around.settings
        dialog = .add(add)
        // An earlier toast would cover the total of the newly chosen files.
        if !layout.hasTabs, add.choosesDifferently(than: before) { toast.clear() }
        return finish(outcome)
    }

    /// Changes the Add dialog, if it is open.
    mutating func changeAdd(_ change: (inout AddDialog, AddSurroundings) -> Void) -> [Effect] {
        updateAdd { add, around in
            change(&add, around)
            return .stay()
        }
    }

    private mutating func runInFilter(_ action: Action) {
        switch action {
        case .previous: list.moveCursor(by: -1)
        case .next: list.moveCursor(by: 1)
        case .confirm: dialog = nil
        default:
            dialog = nil
            list.narrow(to: "")
        }
    }

    /// Runs an action in the details. An action that they do not know closes them.
    private mutating func runInDetails(_ action: Action, from first: Int) -> [Effect] {
        let page = DetailsView(model: self).page(from: first)
        switch action {
        case .pageUp: dialog = .details(first: page.previous)
        case .pageDown: dialog = .details(first: page.next)
        case .previous: stepInDetails(by: -1)
        case .next: stepInDetails(by: 1)
        case .retry, .remove, .copy:
            // These apply to the upload that the details show, not to the marked ones.
            let marked = list.marks
            list.marks = []
            dialog = nil
            defer { list.marks = marked }
            return runInList(action)
        default: dialog = nil
        }
        return []
    }

    private mutating func stepInDetails(by step: Int) {
        list.following = .nothing
        dialog = .details(first: 0)
        list.moveCursor(by: step)
    }

    private mutating func runInQuit(_ action: Action) -> [Effect] {
        dialog = nil
        switch action {
        case .quitNow: return [.finish(.quit)]
        case .quitWhenIdle: return finishRunning()
        case .detach: return detach()
        case .stopEngine: return [.finish(.stopEngine)]
        default: return []
        }
    }
}
