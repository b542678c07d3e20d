/// The table of all actions and keys. The key map, the hint line and the help are made from it, so they always agree.
public struct ActionTable: Hashable, Sendable {
    /// An action in one context, and its keys.
    public struct Entry: Hashable, Sendable {
        var action: Action
        var context: Context
        var keys: [Key]
        /// The word for the hint line; nil if the action does not appear there.
        var hint: String?
        /// The description in the help.
        public internal(set) var help: String

        /// The keys as users read them: `k, Up`.
        public var keyLabels: String {
            keys.isEmpty ? "no key" : keys.map(\.label).joined(separator: ", ")
        }

        /// The name in configurations: `remove` in the list, `details.remove` in the details.
        public var name: String { context == .list ? action.name : "\(context).\(action.name)" }
    }

    /// The table with the default keys.
    public static let standard = ActionTable(list + dialogs + leaving)

    /// The entries by importance: the hint line drops the last ones first.
    public let entries: [Entry]
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

    /// The first key of an action as users read it; nil if it has none.
    func label(of action: Action, in context: Context = .list) -> String? {
        entry(for: action, in: context)?.keys.first?.label
    }

    /// Returns a key and its effect, `p resumes`; nil if no key has it.
    func phrase(_ action: Action, _ what: String) -> String? { label(of: action).map { "\($0) \(what)" } }

    private static let list: [Entry] = [
        entry(.help, [.character("?"), .function(1)], "help", "show all keys"),
        entry(.tryNow, [.character("n")], "now", "try the network now"),
        entry(.add, [.character("a")], "add", "add files (or paste)"),
        entry(.pause, [.character("p")], "pause", "pause or resume"),
        entry(.retry, [.character("r")], "retry", "retry / send the change"),
        entry(.remove, [.character("x"), .delete], "remove", "remove from the queue"),
        entry(.undo, [.character("u")], "undo", "undo the last change"),
        entry(.quit, [.character("q"), .control("c")], "quit", "quit"),
        entry(.filter, [.character("/")], "filter", "filter the rows"),
        entry(.mark, [.character(" ")], "mark", "mark and step down"),
        entry(.order, [.character("o")], "sort", "sort the rows"),
        entry(.redo, [.control("r")], nil, "redo what was undone"),
        entry(.moveUp, [.character("K"), .shiftUp], nil, "move up the queue"),
        entry(.moveDown, [.character("J"), .shiftDown], nil, "move down the queue"),
        entry(.moveToTop, [.character("T")], nil, "move to the top"),
        entry(.moveToBottom, [.character("B")], nil, "move to the end"),
        entry(.limitBandwidth, [.character("b")], "limit", "limit the bandwidth"),
        entry(.limitConcurrency, [.character("c")], "parallel", "uploads at once"),
        entry(.pauseAll, [.character("P")], nil, "pause or resume all"),
        entry(.retryAll, [.character("R")], nil, "retry all failed"),
        entry(.clearDone, [.character("X")], nil, "clear done uploads"),
        entry(.details, [.character("i"), .enter], nil, "details of this upload"),
        entry(.openLog, [.character("l")], nil, "show the log"),
        entry(.changeGraph, [.character("t")], nil, "graph: short, long, off"),
        entry(.copy, [.character("y")], nil, "copy path, URL or error"),
        entry(.markAll, [.control("a")], nil, "mark all shown"),
        entry(.markRange, [.character("v")], nil, "mark a range"),
        entry(.invertMarks, [.character("*")], nil, "mark the others"),
        entry(.escape, [.escape], nil, "clear marks, then filter"),
        entry(.show(.all), [.character("1")], nil, "show all"),
        entry(.show(.active), [.character("2")], nil, "show active ones"),
        entry(.show(.queued), [.character("3")], nil, "show queued ones"),
        entry(.show(.paused), [.character("4")], nil, "show paused ones"),
        entry(.show(.failed), [.character("5")], nil, "show failed and held"),
        entry(.show(.done), [.character("6")], nil, "show done ones"),
        entry(.up, [.character("k"), .up], nil, "one up"),
        entry(.down, [.character("j"), .down], nil, "one down"),
        entry(.pageUp, [.pageUp, .control("b")], nil, "a page up"),
        entry(.pageDown, [.pageDown, .control("f")], nil, "a page down"),
        entry(.halfPageUp, [.control("u")], nil, "half a page up"),
        entry(.halfPageDown, [.control("d")], nil, "half a page down"),
        entry(.top, [.character("g"), .home], nil, "to the first"),
        entry(.bottom, [.character("G"), .end], nil, "to the last"),
        entry(.detach, [.character("D")], nil, "detach: uploads continue"),
        entry(.startEngine, [.character("S")], nil, "start a lost engine again"),
        entry(.toggleMouse, [.character("m")], nil, "mouse on or off"),
        entry(.suspend, [.control("z")], nil, "back to the shell (fg)"),
        entry(.redraw, [.control("l")], nil, "redraw the screen"),
    ]

    private static let dialogs: [Entry] = [
        Entry(
            action: .cancel, context: .details,
            keys: [.enter, .escape, .character("i"), .character("q"), .control("c")], hint: "close",
            help: "close the details"),
        Entry(
            action: .previous, context: .details, keys: [.character("["), .up, .character("k")],
            hint: "the one before", help: "the one before"),
        Entry(
            action: .next, context: .details, keys: [.character("]"), .down, .character("j")],
            hint: "the one after", help: "the one after"),
        Entry(
            action: .retry, context: .details, keys: [.character("r")], hint: "retry",
            help: "retry this upload"),
        Entry(
            action: .copy, context: .details, keys: [.character("y")], hint: "copy",
            help: "copy path, URL or error"),
        Entry(
            action: .remove, context: .details, keys: [.character("x"), .delete], hint: "remove",
            help: "remove this one"),
        Entry(action: .pageUp, context: .details, keys: [.pageUp, .control("b")], help: "a page up"),
        Entry(action: .pageDown, context: .details, keys: [.pageDown, .control("f")], help: "a page down"),

        Entry(
            action: .confirm, context: .help, keys: [.enter], hint: "run", help: "run the selected action"),
        Entry(
            action: .cancel, context: .help, keys: [.escape, .control("c")], hint: "close",
            help: "close the help"),
        Entry(action: .previous, context: .help, keys: [.up], help: "the one before"),
        Entry(action: .next, context: .help, keys: [.down], help: "the one after"),
        Entry(action: .columnBack, context: .help, keys: [.left], help: "a column back"),
        Entry(action: .columnOn, context: .help, keys: [.right], help: "a column on"),
        Entry(action: .pageUp, context: .help, keys: [.pageUp], help: "a page back"),
        Entry(action: .pageDown, context: .help, keys: [.pageDown], help: "a page on"),

        Entry(action: .confirm, context: .add, keys: [.enter], hint: "add", help: "add what is shown"),
        Entry(action: .complete, context: .add, keys: [.tab], hint: "complete", help: "complete the path"),
        Entry(
            action: .nextDestination, context: .add, keys: [.backTab], hint: "destination",
            help: "choose another destination"),
        Entry(
            action: .browse, context: .add, keys: [.down, .pageDown], hint: "list",
            help: "choose from the folder's list"),
        Entry(
            action: .cancel, context: .add, keys: [.escape, .control("c")], hint: "close", help: "add nothing"
        ),
        Entry(
            action: .leftOut, context: .add, keys: [.function(3), .control("v")], hint: "left out",
            help: "list what is left out, and why"),

        Entry(
            action: .confirm, context: .browse, keys: [.enter], hint: "add",
            help: "open the folder, or add what is chosen"),
        Entry(
            action: .mark, context: .browse, keys: [.character(" "), .insert], hint: "mark",
            help: "mark and step down"),
        Entry(
            action: .toLine, context: .browse, keys: [.escape, .tab, .character("/")], hint: "line",
            help: "back to the line"),
        Entry(
            action: .open, context: .browse, keys: [.right, .character("l")], hint: "open",
            help: "open the folder"),
        Entry(
            action: .parent, context: .browse, keys: [.left, .character("h"), .backspace], hint: "up",
            help: "the folder that this one is in"),
        Entry(
            action: .toggleHidden, context: .browse, keys: [.character(".")], hint: "hidden",
            help: "show hidden names, or not"),
        Entry(
            action: .add, context: .browse, keys: [.character("a")], hint: "add",
            help: "add what is chosen, wherever the cursor is"),
        Entry(
            action: .unmarkAll, context: .browse, keys: [.character("u")], hint: "unmark all",
            help: "clear all marks, in all folders"),
        Entry(
            action: .leftOut, context: .browse, keys: [.character("v"), .function(3)], hint: "left out",
            help: "list what is left out, and why"),
        Entry(
            action: .markAll, context: .browse, keys: [.control("a"), .character("*")],
            help: "mark all shown"),
        Entry(
            action: .nextDestination, context: .browse, keys: [.backTab],
            help: "choose another destination"),
        Entry(action: .upOrLine, context: .browse, keys: [.up], help: "one up, from the first to the line"),
        Entry(action: .up, context: .browse, keys: [.character("k")], help: "one up"),
        Entry(action: .down, context: .browse, keys: [.character("j"), .down], help: "one down"),
        Entry(action: .pageUp, context: .browse, keys: [.pageUp, .control("b")], help: "a page up"),
        Entry(action: .pageDown, context: .browse, keys: [.pageDown, .control("f")], help: "a page down"),
        Entry(action: .top, context: .browse, keys: [.character("g"), .home], help: "to the first"),
        Entry(action: .bottom, context: .browse, keys: [.character("G"), .end], help: "to the last"),
        Entry(
            action: .cancel, context: .browse, keys: [.character("q"), .control("c")], help: "add nothing"),

        Entry(
            action: .cancel, context: .leftOut,
            keys: [.escape, .enter, .character("q"), .character("v"), .function(3), .control("c")],
            hint: "back", help: "back to what is added"),
        Entry(action: .up, context: .leftOut, keys: [.character("k"), .up], hint: "up", help: "one up"),
        Entry(
            action: .down, context: .leftOut, keys: [.character("j"), .down], hint: "down", help: "one down"),
        Entry(action: .pageUp, context: .leftOut, keys: [.pageUp, .control("b")], help: "a page up"),
        Entry(action: .pageDown, context: .leftOut, keys: [.pageDown, .control("f")], help: "a page down"),
        Entry(action: .top, context: .leftOut, keys: [.character("g"), .home], help: "to the first"),
        Entry(action: .bottom, context: .leftOut, keys: [.character("G"), .end], help: "to the last"),

        Entry(action: .confirm, context: .prompt, keys: [.enter], hint: "set", help: "set the value"),
        Entry(
            action: .cancel, context: .prompt, keys: [.escape, .control("c")], hint: "close",
            help: "change nothing"),

        Entry(action: .confirm, context: .filter, keys: [.enter], hint: "keep", help: "keep the filter"),
        Entry(
            action: .cancel, context: .filter, keys: [.escape, .control("c")], hint: "clear",
            help: "show all again"),
        Entry(action: .previous, context: .filter, keys: [.up], help: "one up"),
        Entry(action: .next, context: .filter, keys: [.down], help: "one down"),

        Entry(
            action: .confirm, context: .log, keys: [.enter], hint: "go to the upload",
            help: "go to the upload"),
        Entry(
            action: .filter, context: .log, keys: [.character("/")], hint: "search",
            help: "show only entries with these words"),
        Entry(
            action: .raiseLevel, context: .log, keys: [.character("w")], hint: "warnings",
            help: "all, warnings, errors"),
        Entry(
            action: .bottom, context: .log, keys: [.character("f"), .character("G"), .end], hint: "follow",
            help: "follow what comes"),
        Entry(
            action: .cancel, context: .log, keys: [.character("l"), .character("q"), .control("c")],
            hint: "close", help: "close the log"),
        Entry(action: .escape, context: .log, keys: [.escape], help: "end the search, then close"),
        Entry(action: .up, context: .log, keys: [.character("k"), .up], help: "one up"),
        Entry(action: .down, context: .log, keys: [.character("j"), .down], help: "one down"),
        Entry(action: .pageUp, context: .log, keys: [.pageUp, .control("b")], help: "a page up"),
        Entry(action: .pageDown, context: .log, keys: [.pageDown, .control("f")], help: "a page down"),
        Entry(action: .top, context: .log, keys: [.character("g"), .home], help: "to the first"),
        Entry(action: .confirm, context: .logSearch, keys: [.enter], hint: "keep", help: "keep the search"),
        Entry(
            action: .escape, context: .logSearch, keys: [.escape, .control("c")], hint: "clear",
            help: "show all again"),

        orderEntry(.queue, "q", "queue", "as they run"),
        orderEntry(.name, "n", "name", "by name"),
        orderEntry(.size, "s", "size", "by size"),
        orderEntry(.progress, "p", "progress", "by progress"),
        orderEntry(.rate, "r", "rate", "by rate"),
        orderEntry(.remaining, "e", "ETA", "by the time left"),
        orderEntry(.added, "t", "time added", "by the time they were added"),
        Entry(
            action: .cancel, context: .order, keys: [.escape, .enter, .control("c")], hint: "close",
            help: "keep the sort"),

        Entry(
            action: .copyPath, context: .copy, keys: [.character("p"), .character("y"), .enter],
            hint: "local path", help: "the path on this machine"),
        Entry(
            action: .copyAddress, context: .copy, keys: [.character("u")], hint: "URL",
            help: "the URL at the server"),
        Entry(
            action: .copyError, context: .copy, keys: [.character("e")], hint: "error",
            help: "the error"),
        Entry(
            action: .cancel, context: .copy, keys: [.escape, .character("q"), .control("c")], hint: "close",
            help: "copy nothing"),

        Entry(
            action: .cancel, context: .removal, keys: [.escape, .character("n"), .enter, .control("c")],
            hint: "keep them (default)", help: "keep them"),
        Entry(
            action: .removeNow, context: .removal, keys: [.character("y")], hint: "remove",
            help: "remove them"),

        Entry(
            action: .cancel, context: .undo, keys: [.escape, .character("n"), .enter, .control("c")],
            hint: "change nothing (default)", help: "change nothing"),
        Entry(action: .confirm, context: .undo, keys: [.character("y")], hint: "undo", help: "undo it"),
    ]

    private static func orderEntry(
        _ key: RowOrder.Key, _ character: Character, _ hint: String, _ help: String
    ) -> Entry {
        Entry(
            action: .orderBy(key), context: .order, keys: [.character(character)], hint: hint, help: help)
    }

    private static func entry(_ action: Action, _ keys: [Key], _ hint: String?, _ help: String) -> Entry {
        Entry(action: action, context: .list, keys: keys, hint: hint, help: help)
    }
}
