import FerryUploads

/// The open dialog, which is drawn over the list of uploads.
enum Dialog: Sendable {
    /// The details of the upload under the cursor, from line `first` on.
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

    /// The time on the clock until which keys and clicks are ignored, because they were probably meant for the screen
    /// before the dialog opened. Only confirmation questions ignore input.
    var ignoresInputUntil: Double {
        switch self {
        case .removal(let removal): removal.openedAt + Self.settling
        case .undo(let undo): undo.openedAt + Self.settling
        case .quit(let openedAt, _): openedAt + Self.settling
        case .details, .help, .add, .prompt, .filter, .order, .log, .copy: -.infinity
        }
    }

    /// The seconds for which a confirmation question ignores input after it opens. The Add dialog ignores Enter for the
    /// same time after a paste.
    static let settling = 0.2

    /// The number of the running search for the files to add; nil if none is running.
    var pendingPreview: Int? {
        guard case .add(let add) = self, case .asked(let number, _) = add.preview else { return nil }
        return number
    }
}

/// The result of a key or click in a dialog. It tells the screen what to do next.
enum DialogOutcome {
    case stay([Effect] = [])
    /// The dialog stays open. The screen shows a short message, mostly the reason why nothing was done.
    case refuse(String)
    /// The dialog closes. The screen shows the message, if any, and performs the effects, such as commands to the
    /// queue.
    case close(String? = nil, [Effect] = [])
    /// The dialog closes and the screen runs an action of the list.
    case run(Action)
    /// The dialog closes and the list shows an upload.
    case show(Upload.ID)
}
