import Transfer
import UploadProtocols
import Uploads

extension Model {
    mutating func run(_ action: Action, in help: HelpDialog) -> [Effect] {
        var help = help
        let entries = help.entries(of: actions)
        let column = HelpView.columnHeight(size, entries: entries.count)
        switch action {
        case .previous: help.selected -= 1
        case .next: help.selected += 1
        case .columnBack: help.selected -= column
        case .columnOn: help.selected += column
        case .confirm:
            dialog = nil
            guard entries.indices.contains(help.selected) else { return [] }
            return runInList(entries[help.selected].action)
        default:
            dialog = nil
            return []
        }
        help.selected = max(0, min(entries.count - 1, help.selected))
        dialog = .help(help)
        return []
    }

    mutating func run(_ action: Action, in removal: RemovalDialog) -> [Effect] {
        dialog = nil
        guard action == .removeNow else { return refuse("kept") }
        return [.perform(.remove(.ids(removal.targets)), .remove(name: removal.name))]
    }

    mutating func run(_ action: Action, in prompt: PromptDialog) -> [Effect] {
        guard action == .confirm else {
            dialog = nil
            return []
        }
        let text = prompt.line.text.filter { !$0.isWhitespace }
        switch prompt.subject {
        case .bandwidth:
            if text.isEmpty || text == "0" || text.lowercased() == "off" {
                return answer(.limitBandwidth(nil), .limitBandwidth(nil))
            }
            guard let limit = ByteFormat.parse(text), limit > 0 else {
                return reject(prompt, "not an amount; try 20M, 800K, or nothing for no limit")
            }
            return answer(.limitBandwidth(limit), .limitBandwidth(limit))
        case .concurrency:
            guard let number = Int(text), (1...256).contains(number) else {
                return reject(prompt, "not a number from 1 to 256")
            }
            return answer(.limitConcurrency(number), .limitConcurrency(number))
        }
    }

    private mutating func answer(_ command: QueueCommand, _ request: Request) -> [Effect] {
        dialog = nil
        return [.perform(command, request)]
    }

    private mutating func reject(_ prompt: PromptDialog, _ why: String) -> [Effect] {
        var prompt = prompt
        prompt.problem = why
        dialog = .prompt(prompt)
        return []
    }

    mutating func run(_ action: Action, in dialog: AddDialog) -> [Effect] {
        var add = dialog
        switch action {
        case .confirm: return confirm(add)
        case .complete: return complete(add)
        case .nextDestination:
            guard add.destinations.count > 1 else { return [] }
            add.destination = (add.destination + 1) % add.destinations.count
            self.dialog = .add(add)
        default: self.dialog = nil
        }
        return []
    }

    private mutating func confirm(_ dialog: AddDialog) -> [Effect] {
        var add = dialog
        guard clock.seconds >= add.deafUntil else { return [] }
        switch add.preview {
        case .nothing: return []
        case .due:
            questions += 1
            add.preview = .asked(number: questions, adding: true)
            self.dialog = .add(add)
            return [.preview(add.text, number: questions)]
        case .asked(let number, _):
            add.preview = .asked(number: number, adding: true)
            self.dialog = .add(add)
            return []
        case .ready(let selection): return finish(add, with: selection)
        }
    }

    private mutating func finish(_ add: AddDialog, with selection: FileSelection) -> [Effect] {
        guard !selection.files.isEmpty else {
            let reason = selection.problems.first.map { ": \($0.path.name): \($0.reason)" } ?? ""
            return refuse("nothing to add" + reason)
        }
        dialog = nil
        return [.add(selection, destination: add.destinationName)]
    }

    mutating func take(_ selection: FileSelection, number: Int) -> [Effect] {
        guard case .add(var add) = dialog, case .asked(number, let adding) = add.preview else { return [] }
        add.preview = .ready(selection)
        dialog = .add(add)
        guard adding, !selection.files.isEmpty, selection.files.count <= AddDialog.largeSelection else {
            return []
        }
        return finish(add, with: selection)
    }

    /// Tab: asks for candidates, then goes through them.
    private mutating func complete(_ dialog: AddDialog) -> [Effect] {
        var add = dialog
        guard case .typed(let line) = add.source else { return [] }
        if var completion = add.completion, completion.candidates.count > 1 {
            let next = completion.chosen.map { ($0 + 1) % completion.candidates.count } ?? 0
            completion.chosen = next
            add.source = .typed(LineEditor(completion.candidates[next]))
            add.completion = completion
            add.preview = .due(at: clock.seconds + AddDialog.patience)
            self.dialog = .add(add)
            return []
        }
        questions += 1
        completionQuestion = questions
        return [.complete(line.text, number: questions)]
    }

    mutating func take(_ candidates: [String], number: Int) -> [Effect] {
        guard number == completionQuestion, case .add(var add) = dialog, case .typed(let line) = add.source
        else { return [] }
        completionQuestion = nil
        guard let first = candidates.first else {
            // Nothing to complete: the next field is what Tab may have meant.
            if add.destinations.count > 1 { return run(.nextDestination, in: add) }
            return refuse("nothing begins like this")
        }
        let common = candidates.dropFirst().reduce(first) { common, candidate in
            String(zip(common, candidate).prefix { $0 == $1 }.map(\.0))
        }
        add.completion = candidates.count > 1 ? .init(candidates: candidates, chosen: nil) : nil
        if common.count > line.text.count {
            add.source = .typed(LineEditor(common))
            add.preview = .due(at: clock.seconds + AddDialog.patience)
        }
        dialog = .add(add)
        return []
    }
}
