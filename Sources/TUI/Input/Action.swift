/// What a person can make the screen do.
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

    /// Inside dialogs.
    case confirm, cancel, previous, next, columnBack, columnOn
    case complete, nextDestination
    case browse, toLine, upOrLine, open, parent, toggleHidden, unmarkAll, leftOut
    case copyPath, copyAddress, copyError
    case removeNow, quitNow, quitWhenIdle, stopEngine

    /// True if it does something to the marked uploads or the one under the cursor.
    var isAboutTargets: Bool {
        switch self {
        case .pause, .retry, .remove, .moveUp, .moveDown, .moveToTop, .moveToBottom, .mark, .markRange: true
        default: false
        }
    }

    /// True if it looks elsewhere in the list.
    var isMovement: Bool {
        switch self {
        case .up, .down, .pageUp, .pageDown, .halfPageUp, .halfPageDown, .top, .bottom, .show: true
        case .markAll, .invertMarks: true
        default: false
        }
    }

    /// As configurations know it: the case, with what it is about if there are several of it (`showFailed`).
    var name: String {
        guard let payload = Mirror(reflecting: self).children.first, let label = payload.label else {
            return "\(self)"
        }
        let subject = "\(payload.value)"
        return label + subject.prefix(1).uppercased() + subject.dropFirst()
    }
}

/// Where keys mean something of their own.
enum Context: Hashable, Sendable, CaseIterable {
    case list, details, help, add, browse, leftOut, prompt, filter, order, log, logSearch, copy, removal, undo
    case quit, quitOrDetach, leave

    /// True where characters are text and can be no keys.
    var takesText: Bool {
        switch self {
        case .help, .add, .prompt, .filter, .logSearch: true
        case .list, .details, .browse, .leftOut, .order, .log, .copy, .removal, .undo, .quit, .quitOrDetach,
            .leave:
            false
        }
    }
}
