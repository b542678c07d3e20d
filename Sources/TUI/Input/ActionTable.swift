/// The table of all actions and keys, for the key map, the hint line and the help.
package struct ActionTable: Hashable, Sendable {
    /// An action in one context, and its keys.
    package struct Entry: Hashable, Sendable {
        var action: Action
        var context: Context
        var keys: [Key]
        /// The word for the hint line; nil if the action does not appear there.
        var hint: String?
        /// The description in the help.
        package internal(set) var help: String

        /// The keys as users read them: `k, Up`. The text is `no key` if the action has no keys.
        package var keyLabels: String { keys.isEmpty ? "no key" : keys.map(\.label).joined(separator: ", ") }

        /// The name in configurations: `remove` in the list, `details.remove` in the details.
        package var name: String { context == .list ? action.name : "\(context).\(action.name)" }
    }

    /// The table with the default keys.
    package static let standard = ActionTable(
        rows.flatMap { context, rows in
            rows.map { Entry(action: $0, context: context, keys: $1, hint: $2, help: $3) }
        })

    /// The entries by importance for the hint line.
    package let entries: [Entry]
    private let map: [Context: [Key: Action]]

    init(_ entries: [Entry]) {
        self.entries = entries
        map = entries.reduce(into: [:]) { map, entry in
            for key in entry.keys { map[entry.context, default: [:]][key] = entry.action }
        }
    }

    func action(for key: Key, in context: Context) -> Action? { map[context]?[key] }

    func entries(in context: Context) -> [Entry] { entries.filter { $0.context == context } }

    func entry(for action: Action, in context: Context) -> Entry? {
        entries.first { $0.action == action && $0.context == context }
    }

    func label(of action: Action, in context: Context = .list) -> String? {
        entry(for: action, in: context)?.keys.first?.label
    }

    /// Returns the action's first key in the list and `what`: `p resumes`.
    func phrase(_ action: Action, _ what: String) -> String? { label(of: action).map { "\($0) \(what)" } }

    private typealias Row = (action: Action, keys: [Key], hint: String?, help: String)

    /// The rows by context, as `ferry config --keys` prints them: actions that leave at once come before the others.
    private static let rows: KeyValuePairs<Context, [Row]> = [
        .list: [
            (.help, ["?", .function(1)], "help", "show all keys"),
            (.tryNow, ["n"], "try now", "try the network now"),
            (.add, ["a"], "add", "add files (or paste)"),
            (.pause, ["p"], "pause", "pause or resume"),
            (.retry, ["r"], "retry", "retry / send the change"),
            (.remove, ["x", .delete], "remove", "remove from the queue"),
            (.undo, ["u"], "undo", "undo the last change"),
            (.quit, ["q", .control("c")], "quit", "quit"),
            (.filter, ["/"], "filter", "filter the rows"),
            (.mark, [" "], "mark", "mark and step down"),
            (.order, ["o"], "sort", "sort the rows"),
            (.redo, [.control("r")], nil, "redo what was undone"),
            (.moveUp, ["K", .shiftUp], nil, "move up the queue"),
            (.moveDown, ["J", .shiftDown], nil, "move down the queue"),
            (.moveToTop, ["T"], nil, "move to the top"),
            (.moveToBottom, ["B"], nil, "move to the end"),
            (.limitBandwidth, ["b"], "limit", "limit the bandwidth"),
            (.limitConcurrency, ["c"], "parallel", "uploads at once"),
            (.pauseAll, ["P"], nil, "pause or resume all"),
            (.retryAll, ["R"], nil, "retry all failed"),
            (.clearDone, ["X"], nil, "clear done uploads"),
            (.details, ["i", .enter], nil, "details of this upload"),
            (.openLog, ["l"], nil, "show the log"),
            (.changeGraph, ["t"], nil, "graph: short, long, off"),
            (.copy, ["y"], nil, "copy path, URL or error"),
            (.markAll, [.control("a")], nil, "mark all shown"),
            (.markRange, ["v"], nil, "mark a range"),
            (.invertMarks, ["*"], nil, "mark the others"),
            (.escape, [.escape], nil, "clear marks, then filter"),
            (.show(.all), ["1"], nil, "show all"),
            (.show(.active), ["2"], nil, "show active ones"),
            (.show(.queued), ["3"], nil, "show queued ones"),
            (.show(.paused), ["4"], nil, "show paused ones"),
            (.show(.failed), ["5"], nil, "show failed and held"),
            (.show(.done), ["6"], nil, "show done ones"),
            (.up, ["k", .up], nil, "one up"),
            (.down, ["j", .down], nil, "one down"),
            (.pageUp, [.pageUp, .control("b")], nil, "a page up"),
            (.pageDown, [.pageDown, .control("f")], nil, "a page down"),
            (.halfPageUp, [.control("u")], nil, "half a page up"),
            (.halfPageDown, [.control("d")], nil, "half a page down"),
            (.top, ["g", .home], nil, "to the first"),
            (.bottom, ["G", .end], nil, "to the last"),
            (.detach, ["D"], nil, "detach: uploads continue"),
            (.startEngine, ["S"], nil, "start a lost engine again"),
            (.toggleMouse, ["m"], nil, "mouse on or off"),
            (.suspend, [.control("z")], nil, "back to the shell (fg)"),
            (.redraw, [.control("l")], nil, "redraw the screen"),
        ],
        .details: [
            (.cancel, [.enter, .escape, "i", "q", .control("c")], "close", "close the details"),
            (.previous, ["[", .up, "k"], "previous", "the previous upload"),
            (.next, ["]", .down, "j"], "next", "the next upload"),
            (.retry, ["r"], "retry", "retry this upload"),
            (.copy, ["y"], "copy", "copy path, URL or error"),
            (.remove, ["x", .delete], "remove", "remove this one"),
            (.pageUp, [.pageUp, .control("b")], nil, "a page up"),
            (.pageDown, [.pageDown, .control("f")], nil, "a page down"),
        ],
        .help: [
            (.confirm, [.enter], "run", "run the selected action"),
            (.cancel, [.escape, .control("c")], "close", "close the help"),
            (.previous, [.up], nil, "the one before"),
            (.next, [.down], nil, "the one after"),
            (.columnBack, [.left], nil, "a column back"),
            (.columnOn, [.right], nil, "a column on"),
            (.pageUp, [.pageUp], nil, "a page back"),
            (.pageDown, [.pageDown], nil, "a page on"),
        ],
        .add: [
            (.confirm, [.enter], "add", "add what is shown"),
            (.complete, [.tab], "complete", "complete the path"),
            (.nextDestination, [.backTab], "destination", "choose another destination"),
            (.browse, [.down, .pageDown], "list", "choose from the folder's list"),
            (.cancel, [.escape, .control("c")], "close", "add nothing"),
            (.leftOut, [.function(3), .control("v")], "left out", "list what is left out, and why"),
        ],
        .browse: [
            (.confirm, [.enter], "add", "open the folder, or add what is chosen"),
            (.mark, [" ", .insert], "mark", "mark and step down"),
            (.toLine, [.escape, .tab, "/"], "line", "back to the line"),
            (.open, [.right, "l"], "open", "open the folder"),
            (.parent, [.left, "h", .backspace], "up", "the folder that this one is in"),
            (.toggleHidden, ["."], "hidden", "show hidden names, or not"),
            (.add, ["a"], "add", "add what is chosen, wherever the cursor is"),
            (.unmarkAll, ["u"], "unmark all", "clear all marks, in all folders"),
            (.leftOut, ["v", .function(3)], "left out", "list what is left out, and why"),
            (.markAll, [.control("a"), "*"], nil, "mark all shown"),
            (.nextDestination, [.backTab], nil, "choose another destination"),
            (.upOrLine, [.up], nil, "one up, from the first to the line"),
            (.up, ["k"], nil, "one up"),
            (.down, ["j", .down], nil, "one down"),
            (.pageUp, [.pageUp, .control("b")], nil, "a page up"),
            (.pageDown, [.pageDown, .control("f")], nil, "a page down"),
            (.top, ["g", .home], nil, "to the first"),
            (.bottom, ["G", .end], nil, "to the last"),
            (.cancel, ["q", .control("c")], nil, "add nothing"),
        ],
        .leftOut: [
            (
                .cancel, [.escape, .enter, "q", "v", .function(3), .control("c")], "back",
                "back to what is added"
            ),
            (.up, ["k", .up], "up", "one up"),
            (.down, ["j", .down], "down", "one down"),
            (.pageUp, [.pageUp, .control("b")], nil, "a page up"),
            (.pageDown, [.pageDown, .control("f")], nil, "a page down"),
            (.top, ["g", .home], nil, "to the first"),
            (.bottom, ["G", .end], nil, "to the last"),
        ],
        .prompt: [
            (.confirm, [.enter], "set", "set the value"),
            (.cancel, [.escape, .control("c")], "close", "change nothing"),
        ],
        .filter: [
            (.confirm, [.enter], "keep", "keep the filter"),
            (.cancel, [.escape, .control("c")], "clear", "show all again"),
            (.previous, [.up], nil, "one up"),
            (.next, [.down], nil, "one down"),
        ],
        .log: [
            (.confirm, [.enter], "go to the upload", "go to the upload, or show the whole text"),
            (.filter, ["/"], "search", "show only entries with these words"),
            (.raiseLevel, ["w"], "warnings", "all, warnings, errors"),
            (.bottom, ["f", "G", .end], "follow", "follow what comes"),
            (.cancel, ["l", "q", .control("c")], "close", "close the log"),
            (.escape, [.escape], nil, "end the search, then close"),
            (.up, ["k", .up], nil, "one up"),
            (.down, ["j", .down], nil, "one down"),
            (.pageUp, [.pageUp, .control("b")], nil, "a page up"),
            (.pageDown, [.pageDown, .control("f")], nil, "a page down"),
            (.top, ["g", .home], nil, "to the first"),
        ],
        .logSearch: [
            (.confirm, [.enter], "keep", "keep the search"),
            (.escape, [.escape, .control("c")], "clear", "show all again"),
        ],
        .order: [
            (.orderBy(.queue), ["q"], "queue", "as they run"),
            (.orderBy(.name), ["n"], "name", "by name"),
            (.orderBy(.size), ["s"], "size", "by size"),
            (.orderBy(.progress), ["p"], "progress", "by progress"),
            (.orderBy(.rate), ["r"], "rate", "by rate"),
            (.orderBy(.remaining), ["e"], "ETA", "by the time left"),
            (.orderBy(.added), ["t"], "time added", "by the time they were added"),
            (.cancel, [.escape, .enter, .control("c")], "close", "keep the sort"),
        ],
        .copy: [
            (.copyPath, ["p", "y", .enter], "local path", "the path on this machine"),
            (.copyAddress, ["u"], "URL", "the URL at the server"),
            (.copyError, ["e"], "error", "the error"),
            (.cancel, [.escape, "q", .control("c")], "close", "copy nothing"),
        ],
        .removal: [
            (.cancel, [.escape, "n", .enter, .control("c")], "keep them (default)", "keep them"),
            (.removeNow, ["y"], "remove", "remove them"),
        ],
        .undo: [
            (.cancel, [.escape, "n", .enter, .control("c")], "change nothing (default)", "change nothing"),
            (.confirm, ["y"], "undo", "undo it"),
        ],
        .quit: [(.quitNow, ["q", .control("c")], "quit; the demo is removed", "quit now")],
        .quitOrDetach: [
            (.quitNow, ["q", .control("c")], "quit; they resume next time", "quit now"),
            (.detach, ["d"], "detach; they continue in the background", "leave them to a background engine"),
        ],
        .leave: [
            (.quitNow, ["q", .control("c")], "detach; they continue", "detach; the engine continues"),
            (.stopEngine, ["s"], "stop the engine; they resume next time", "stop the engine too"),
        ],
        .quit: [
            (.quitWhenIdle, ["w"], "quit when these are done", "finish the running ones first"),
            (.cancel, [.escape, .enter], "stay (default)", "stay"),
        ],
        .quitOrDetach: [
            (.quitWhenIdle, ["w"], "quit when these are done", "finish the running ones first"),
            (.cancel, [.escape, .enter], "stay (default)", "stay"),
        ],
        .leave: [
            (.quitWhenIdle, ["w"], "stop it when these are done", "finish the running ones first"),
            (.cancel, [.escape, .enter], "stay (default)", "stay"),
        ],
    ]
}
