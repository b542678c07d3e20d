import FerryUploads

/// The handlers of keys, clicks and pasted text.
extension Model {
    mutating func press(_ key: Key) -> [Effect] {
        if let dialog, clock.seconds < dialog.ignoresInputUntil { return [] }
        switch key {
        case .paste(let text, let isComplete): return paste(text, isComplete: isComplete)
        case .burst(let text): return take(burst: text)
        case .wheel(let lines, _):
            if showsList {
                list.following = .nothing
                list.moveCursor(by: lines)
            }
            return changeAdd { $0.scroll(by: lines, $1) }
        case .press, .release, .cursorPosition: return []
        default: break
        }
        if key == .control("z") { return [.suspend] }
        if let action = actions.action(for: key, in: context) { return run(action) }
        // The redraw key also works in dialogs, unless it is a character, which may be text there.
        if !key.isCharacter, actions.action(for: key, in: .list) == .redraw { return [.redraw] }
        // The first line of the screen shows this key, also while a dialog is open.
        if isEngineGone, !context.takesText, actions.action(for: key, in: .list) == .startEngine {
            return startEngine()
        }
        return type(key)
    }

    mutating func click(_ target: Region.Target) -> [Effect] {
        if let dialog, clock.seconds < dialog.ignoresInputUntil { return [] }
        switch target {
        case .upload(let id):
            if showsList, list.click(id, now: clock.seconds) { return runInList(.details) }
        case .mark(let id): if showsList { list.toggleMark(id) }
        case .tab(let tab): if showsList { list.show(tab) }
        case .action(let action): return run(action)
        case .entry(let name): return updateAdd { $0.click(name, &$1) }
        case .entryMark(let name): return changeAdd { $0.clickMark(name, $1) }
        case .nothing: break
        }
        return []
    }

    /// Types a key that has no action into the open dialog.
    private mutating func type(_ key: Key) -> [Effect] {
        switch dialog {
        case .help(var help):
            help.edit(key)
            dialog = .help(help)
        case .add: return changeAdd { $0.type(key, $1) }
        case .prompt(var prompt):
            prompt.edit(key)
            dialog = .prompt(prompt)
        case .filter(var line):
            guard line.handle(key) else { break }
            dialog = .filter(line)
            list.narrow(to: line.text)
        case .log(var log):
            log.edit(key)
            dialog = .log(log)
        case nil, .details, .order, .copy, .removal, .undo, .quit: break
        }
        return []
    }

    mutating func paste(_ text: String, isComplete: Bool) -> [Effect] {
        if !isComplete { say(.warning, "the paste was longer than 4 MiB; the rest was dropped") }
        guard !text.isEmpty else { return [] }
        switch dialog {
        case .help, .prompt, .filter, .log:
            let line = String(text.filter { !$0.isNewline }.prefix(100))
            return type(.paste(line, isComplete: isComplete))
        // A paste must not answer a question, because the answer can destroy something.
        case .order, .copy, .removal, .undo, .quit: return []
        case nil, .details:
            if isEngineGone { return refuse(engineIsMissing) }
            dialog = .add(adding.newDialog)
            return paste(text, isComplete: true) + [.askDestinations]
        case .add: return changeAdd { $0.paste(text, $1) }
        }
    }

    var showsList: Bool { dialog == nil || context == .filter }
}

/// The handlers of characters that arrived together: typed over a slow line, sent by a script, or pasted without
/// bracketed paste. As commands they could do harm, so only the first can be one: a key that opens a dialog for the
/// text after it.
extension Model {
    mutating func take(burst: String) -> [Effect] {
        let line = TypedLine(burst)
        switch dialog {
        case nil:
            if let line, let effects = open(line) { return effects }
        case .filter:
            if let line { return type(line) }
        case .log(let log):
            guard let line else { break }
            if log.isTyping { return type(line) }
            if actions.action(for: .character(line.first), in: .log) == .filter, let rest = line.rest {
                return run(.filter) + type(rest)
            }
        case .details, .help, .add, .prompt, .order, .copy, .removal, .undo, .quit: break
        }
        return paste(burst, isComplete: true)
    }

    /// Opens a dialog if the line is its key and a text for it. Any other line is possibly a paste.
    private mutating func open(_ line: TypedLine) -> [Effect]? {
        guard let rest = line.rest else { return nil }
        let opening = actions.action(for: .character(line.first), in: .list)
        switch opening {
        // A slash opens the filter, but most pasted paths begin with a slash, too.
        case .filter where line.first != "/" || !rest.text.dropFirst().contains("/") || rest.first == "/":
            return run(.filter) + type(rest)
        case .add where rest.first == "/" || rest.first == "~":
            return run(.add) + paste(rest.text, isComplete: true)
        case .limitBandwidth where (try? Bandwidth.parse(rest.text)) != nil:
            return run(.limitBandwidth) + paste(rest.text, isComplete: true)
        case .help: return run(.help) + paste(rest.text, isComplete: true)
        default: return nil
        }
    }

    /// Types a line in the filter or the log's search. An Enter that was possibly pasted does no harm there.
    private mutating func type(_ line: TypedLine) -> [Effect] {
        let effects = paste(line.text, isComplete: true)
        return line.isEntered ? effects + run(.confirm) : effects
    }
}

/// A typed line that is not empty.
private struct TypedLine {
    var text: String
    /// True if Enter followed the line.
    var isEntered: Bool

    init?(_ burst: String) {
        isEntered = burst.hasSuffix("\n")
        text = isEntered ? String(burst.dropLast()) : burst
        if text.isEmpty || text.contains(where: \.isNewline) { return nil }
    }

    var first: Character { text.first ?? " " }

    /// The line without its first character; nil if nothing is left.
    var rest: TypedLine? { TypedLine(text.dropFirst() + (isEntered ? "\n" : "")) }
}
