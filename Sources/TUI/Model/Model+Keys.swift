import FerryProtocols
import FerryUploads

extension Model {
    mutating func press(_ key: Key) -> [Effect] {
        if let dialog, clock.seconds < dialog.deafUntil { return [] }
        switch key {
        case .paste(let text, let isComplete): return paste(text, isComplete: isComplete)
        case .burst(let text): return take(burst: text)
        case .wheel(let lines, _):
            if showsList {
                following = .nothing
                moveCursor(by: lines)
            }
            if case .add(let add) = dialog { scroll(add, by: lines) }
            return []
        case .press, .release, .cursorPosition: return []
        default: break
        }
        if key == .control("z") { return [.suspend] }
        if let action = actions.action(for: key, in: context) { return run(action) }
        // Over whatever lies on the list, as long as it is not text there.
        if !key.isCharacter, actions.action(for: key, in: .list) == .redraw { return [.redraw] }
        // The first line names this key whatever lies below it.
        if isEngineGone, !context.takesText, actions.action(for: key, in: .list) == .startEngine {
            return startEngine()
        }
        return type(key)
    }

    mutating func click(_ target: Region.Target) -> [Effect] {
        if let dialog, clock.seconds < dialog.deafUntil { return [] }
        switch target {
        case .upload(let id):
            guard showsList, let place = table.place(of: id), rows.index(of: place) != nil else {
                return []
            }
            following = .nothing
            cursor = place
            keepCursorInView()
            let isSecond = lastClick.map { $0.id == id && clock.seconds - $0.at < Self.doubleClick } ?? false
            lastClick = isSecond ? nil : (id, clock.seconds)
            if isSecond { return runInList(.details) }
        case .mark(let id):
            guard showsList, table[id] != nil else { return [] }
            following = .nothing
            marks.formSymmetricDifference([id])
        case .tab(let tab): if showsList { show(tab) }
        case .action(let action): return run(action)
        case .entry(let name): return click(name)
        case .entryMark(let name): toggleMark(name)
        case .nothing: break
        }
        return []
    }

    mutating func run(_ action: Action) -> [Effect] {
        switch dialog {
        case nil: return runInList(action)
        case .details(let first): return runInDetails(action, from: first)
        case .help(let help): return run(action, in: help)
        case .add(let add): return run(action, in: add)
        case .prompt(let prompt): return run(action, in: prompt)
        case .filter: runInFilter(action)
        case .order: return runInOrder(action)
        case .log(let log): return run(action, in: log)
        case .copy(let copy): return run(action, in: copy)
        case .removal(let removal): return run(action, in: removal)
        case .undo(let undo): return run(action, in: undo)
        case .quit: return runInQuit(action)
        }
        return []
    }

    /// Seconds within which a second click is a double one.
    static let doubleClick = 0.4

    /// Keys without an action of their own are text where text is typed.
    private mutating func type(_ key: Key) -> [Effect] {
        switch dialog {
        case .help(var help):
            guard help.line.handle(key) else { return [] }
            help.selected = 0
            dialog = .help(help)
        case .add(var add):
            let before = add
            guard add.edit(key) else { return [] }
            add.completion = nil
            add.lineChanged(now: clock.seconds)
            settle(add, after: before)
        case .prompt(var prompt):
            guard prompt.edit(key) else { return [] }
            prompt.problem = nil
            dialog = .prompt(prompt)
        case .filter(var line):
            guard line.handle(key) else { return [] }
            type(filter: line)
        case .log(let log): type(key, in: log)
        case nil, .details, .order, .copy, .removal, .undo, .quit: break
        }
        return []
    }

    mutating func paste(_ text: String, isComplete: Bool) -> [Effect] {
        if !isComplete { say(.warning, "the paste was longer than 4 MB; its end was left out") }
        guard !text.isEmpty else { return [] }
        switch dialog {
        case .help(var help):
            help.line.insert(text.filter { !$0.isNewline }.prefix(100))
            help.selected = 0
            dialog = .help(help)
        case .prompt(var prompt):
            prompt.insert(String(text.filter { !$0.isNewline }.prefix(100)))
            prompt.problem = nil
            dialog = .prompt(prompt)
        case .filter(var line):
            line.insert(text.filter { !$0.isNewline }.prefix(100))
            type(filter: line)
        case .log(let log): paste(text, into: log)
        case .add(let add): paste(text, into: add)
        case nil, .details:
            paste(text, into: newAddDialog)
            return [.askDestinations]
        // A question that destroys something is not answered by what happens to be in the clipboard.
        case .order, .copy, .removal, .undo, .quit: break
        }
        return []
    }

    /// True if what is clicked in the list was not drawn behind a dialog.
    var showsList: Bool {
        switch dialog {
        case nil, .filter: true
        default: false
        }
    }
}
