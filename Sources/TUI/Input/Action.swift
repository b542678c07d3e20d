/// An action that the user chooses on the screen, mostly with a key.
enum Action: Hashable, Sendable {
    case up, down, pageUp, pageDown, halfPageUp, halfPageDown, top, bottom
    case show(Tab)
    case mark, markRange, invertMarks, markAll, filter, escape
    case add, pause, pauseAll, retry, retryAll, remove, clearDone
    case moveUp, moveDown, moveToTop, moveToBottom
    case undo, redo
    case order
    case orderBy(RowOrder.Key)
    case limitBandwidth, limitConcurrency, tryNow
    case openLog, raiseLevel, changeGraph
    case toggleMouse, details, copy, help, quit, detach, startEngine, suspend, redraw

    /// Actions inside dialogs.
    case confirm, cancel, previous, next, columnBack, columnOn
    case complete, nextDestination
    case browse, toLine, upOrLine, open, parent, toggleHidden, unmarkAll, leftOut
    case copyPath, copyAddress, copyError
    case removeNow, quitNow, quitWhenIdle, stopEngine

    /// True if the action is about marked uploads or the row under the cursor. It is refused for a moment after the
    /// cursor has moved by itself, and while the screen is too small for the list.
    var isAboutTargets: Bool {
        switch self {
        case .pause, .retry, .remove, .moveUp, .moveDown, .moveToTop, .moveToBottom, .mark, .markRange: true
        default: false
        }
    }

    /// True if the action has no effect while no engine runs.
    var needsEngine: Bool {
        switch self {
        case .add, .pause, .pauseAll, .retry, .retryAll, .remove, .clearDone, .undo, .redo, .tryNow: true
        case .moveUp, .moveDown, .moveToTop, .moveToBottom, .limitBandwidth, .limitConcurrency: true
        default: false
        }
    }

    /// True if the action ends the automatic movement of the cursor (`Following`).
    var isMovement: Bool {
        switch self {
        case .up, .down, .pageUp, .pageDown, .halfPageUp, .halfPageDown, .top, .bottom, .show: true
        case .markAll, .invertMarks: true
        default: false
        }
    }

    /// Returns the row that the action moves to, possibly outside of the list; nil if it does not move.
    func row(from row: Int, of count: Int, page: Int) -> Int? {
        switch self {
        case .up: row - 1
        case .down: row + 1
        case .pageUp: row - page
        case .pageDown: row + page
        case .halfPageUp: row - max(1, page / 2)
        case .halfPageDown: row + max(1, page / 2)
        case .top: 0
        case .bottom: count - 1
        default: nil
        }
    }

    /// The name in configurations: the case and its payload (`showFailed`).
    var name: String {
        guard let payload = Mirror(reflecting: self).children.first, let label = payload.label else {
            return "\(self)"
        }
        let subject = "\(payload.value)"
        return label + subject.prefix(1).uppercased() + subject.dropFirst()
    }
}

/// A part of the screen with key bindings of its own.
enum Context: Hashable, Sendable, CaseIterable {
    case list, details, help, add, browse, leftOut, prompt, filter, order, log, logSearch, copy, removal, undo
    case quit, quitOrDetach, leave

    /// True if typed characters are text in this context, not keys of actions.
    var takesText: Bool {
        [.help, .add, .prompt, .filter, .logSearch].contains(self)
    }
}
