import FerryProtocols
import FerryTransfer
import FerryUploads

extension Model {
    mutating func run(_ action: Action, in help: HelpDialog) -> [Effect] {
        var help = help
        let entries = help.entries(of: actions)
        let column = HelpView.columnHeight(size, entries: entries.count)
        let page = HelpView.pageHeight(size, entries: entries.count)
        switch action {
        case .previous: help.selected -= 1
        case .next: help.selected += 1
        case .columnBack: help.selected -= column
        case .columnOn: help.selected += column
        case .pageUp: help.selected -= page
        case .pageDown: help.selected += page
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

    /// Asks whether the last command is to be taken back, unless something else was opened since.
    mutating func take(_ offer: UndoOffer) -> [Effect] {
        guard dialog == nil else { return [] }
        // Of what is done all stays: the queue says so.
        if case .unadded = offer.change, offer.ids.isEmpty {
            return [.perform(.undoCommand(offer.number), .undo)]
        }
        dialog = .undo(UndoDialog(offer: offer, openedAt: clock.seconds))
        return []
    }

    mutating func run(_ action: Action, in undo: UndoDialog) -> [Effect] {
        dialog = nil
        guard action == .confirm else { return refuse("nothing was undone") }
        return [.perform(.undoCommand(undo.offer.number), .undo)]
    }

    mutating func run(_ action: Action, in prompt: PromptDialog) -> [Effect] {
        guard action == .confirm else {
            dialog = nil
            return []
        }
        let text = prompt.line.text.filter { !$0.isWhitespace }
        switch prompt.subject {
        case .bandwidth:
            // Whatever it is from, it holds on.
            if case .offered = prompt.entry {
                dialog = nil
                return []
            }
            do throws(UploadFailure) {
                let bandwidth = try text.isEmpty ? .unlimited : Bandwidth.ordered(text)
                return answer(.limitBandwidth(bandwidth, .total), .limitBandwidth(bandwidth))
            } catch {
                return reject(prompt, "not an amount; try 20M, 800K, off or auto")
            }
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
}
