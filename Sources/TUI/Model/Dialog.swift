import FerryUploads

/// What lies over the list, if anything.
enum Dialog: Sendable {
    /// Of the upload under the cursor, whichever that is, from this line on.
    case details(first: Int)
    case help(HelpDialog)
    case add(AddDialog)
    case prompt(PromptDialog)
    /// Typed in the last line, while the list shows what fits.
    case filter(LineEditor)
    case order
    case log(LogDialog)
    case copy(CopyDialog)
    case removal(RemovalDialog)
    case undo(UndoDialog)
    case quit(openedAt: Double, EngineTie)

    var context: Context {
        switch self {
        case .details: .details
        case .help: .help
        case .add(let add): add.context
        case .prompt: .prompt
        case .filter: .filter
        case .order: .order
        case .log(let log): log.context
        case .copy: .copy
        case .removal: .removal
        case .undo: .undo
        case .quit(_, .own): .quit
        case .quit(_, .detachable): .quitOrDetach
        case .quit(_, .attached): .leave
        }
    }

    /// Keys typed before this moment were meant for what was there before.
    var deafUntil: Double {
        switch self {
        case .removal(let removal): removal.openedAt + Self.deafness
        case .undo(let undo): undo.openedAt + Self.deafness
        case .quit(let openedAt, _): openedAt + Self.deafness
        case .details, .help, .add, .prompt, .filter, .order, .log, .copy: -.infinity
        }
    }

    static let deafness = 0.2
}

/// The question that destroys something: its targets are those under the finger when it was asked.
struct RemovalDialog: Sendable {
    let targets: [Upload.ID]
    /// Of the one target, if it is one.
    let name: String?
    /// How many of them have bytes on a server, and how many bytes.
    let onServer: Int
    let bytes: Int128
    let openedAt: Double
}

/// The question whether the last command is to be taken back.
struct UndoDialog: Sendable {
    let offer: UndoOffer
    let openedAt: Double
}

struct PromptDialog: Sendable {
    enum Subject: Sendable { case bandwidth, concurrency }

    /// What stands in the field.
    enum Entry: Hashable, Sendable {
        /// The value that holds now; the first character typed takes its place.
        case offered(String)
        case typed(LineEditor)
    }

    let subject: Subject
    var entry: Entry
    /// Why the text cannot be taken.
    var problem: String?
}

extension PromptDialog {
    var line: LineEditor {
        switch entry {
        case .offered(let value): LineEditor(value)
        case .typed(let line): line
        }
    }

    /// True if the key was one that edits.
    mutating func edit(_ key: Key) -> Bool {
        var line = line
        if case .offered = entry {
            switch key {
            case .character, .backspace, .delete, .control("h"), .control("d"): line = LineEditor()
            default: break
            }
        }
        guard line.handle(key) else { return false }
        entry = .typed(line)
        return true
    }

    mutating func insert(_ text: String) {
        var line = line
        if case .offered = entry { line = LineEditor() }
        line.insert(text)
        entry = .typed(line)
    }
}

/// The help: rows of the action table, narrowed by typing.
struct HelpDialog: Sendable {
    var line = LineEditor()
    /// Among the entries that match.
    var selected = 0

    func entries(of actions: ActionTable) -> [ActionTable.Entry] {
        let words = line.text.lowercased().split(separator: " ")
        return actions.entries(in: .list).filter { entry in
            let text = (entry.keyLabels + " " + (entry.hint ?? "") + " " + entry.help).lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }
}
