import FerryUploads

/// The open dialog, which is drawn over the list of uploads.
enum Dialog: Sendable {
    case details(first: Int)
    case help(HelpDialog)
    case add(AddDialog)
    case prompt(PromptDialog)
    /// The filter, typed in the last line while the list shows the matches.
    case filter(LineEditor)
    case order
    case log(LogDialog)
    case copy(CopyDialog)
    case removal(RemovalDialog)
    case undo(UndoDialog)
    case quit(openedAt: Double, EngineOwnership)

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

    /// The time until which a question ignores keys and clicks, which were probably meant for the screen before.
    var ignoresInputUntil: Double {
        switch self {
        case .removal(let removal): removal.openedAt + Self.settling
        case .undo(let undo): undo.openedAt + Self.settling
        case .quit(let openedAt, _): openedAt + Self.settling
        case .details, .help, .add, .prompt, .filter, .order, .log, .copy: -.infinity
        }
    }

    /// The seconds for which a question ignores input after it opens, and the Add dialog ignores Enter after a paste.
    static let settling = 0.2

    var pendingPreview: Int? {
        guard case .add(let add) = self, case .asked(let number, _) = add.preview else { return nil }
        return number
    }
}

/// The result of a key or click in a dialog.
enum DialogOutcome {
    case stay([Effect] = [])
    /// The dialog stays open, and the screen shows a message.
    case refuse(String)
    /// The dialog closes, and the screen shows the message and performs the effects.
    case close(String? = nil, [Effect] = [])
    case run(Action)
    case show(Upload.ID)
}

/// The question before a removal that deletes data on a server. The targets stay the same while it is open.
struct RemovalDialog: Sendable {
    let targets: [Upload.ID]
    /// The name of a single target.
    let name: String?
    /// The number of targets with bytes or an upload resource on a server.
    let onServer: Int
    /// The estimated bytes on the servers.
    let bytes: Int128
    let openedAt: Double

    func update(_ action: Action) -> DialogOutcome {
        guard action == .removeNow else { return .close("nothing was removed") }
        return .close(nil, [.perform(.remove(.ids(targets)), .remove(name: name))])
    }
}

/// The question before an undo.
struct UndoDialog: Sendable {
    let offer: UndoOffer
    let openedAt: Double

    func update(_ action: Action) -> DialogOutcome {
        guard action == .confirm else { return .close("nothing was undone") }
        return .close(nil, [.perform(.undoCommand(offer.number), .undo)])
    }
}
