/// The commands of the line mode, and their help.
enum PlainVerb: String, CaseIterable, Sendable {
    case help, list, show, add, pause, resume, retry, remove, move, limit, parallel, undo, redo, now, detach,
        quit

    private static let table: KeyValuePairs<PlainVerb, (arguments: String, purpose: String)> = [
        .help: ("", "list the commands; they may be abbreviated"),
        .list: (
            "[all|active|queued|paused|failed|done] [WORDS]",
            "list uploads with their numbers; words filter: list failed, list raw size>1g"
        ),
        .show: ("N...", "details of uploads; N is a number or a range: show 3-7,12"),
        .add: ("PATH... [to DESTINATION]", "add files, patterns, folders"),
        .pause: ("N...|all", "stop uploads until they are resumed: pause 3-7 12"),
        .resume: ("N...|all", "resume paused uploads"),
        .retry: ("N...|failed", "retry, or send the changed file"),
        .remove: ("N...|done", "remove uploads from the queue; the files stay"),
        .move: ("N... up|down|top|bottom", "change the order of the queue"),
        .limit: (
            "[20M|off|auto] [to DESTINATION|batch NAME]",
            "limit bytes per second, in total, of a destination or a batch; auto: as configured"
        ),
        .parallel: ("4", "number of uploads at once"),
        .undo: ("", "undo the last add, pause, resume, remove, move or limit; up to 50 times"),
        .redo: ("", "redo the last undone change"),
        .now: ("", "try the network now"),
        .detach: ("", "detach; uploads continue in the background"),
        .quit: ("", "quit; unfinished uploads continue in a background engine, or resume next time"),
    ]

    static var helpLines: [String] { table.map { "\($0.key.usage): \($0.value.purpose)" } }

    /// The command with its arguments: `move N... up|down|top|bottom`.
    var usage: String {
        let arguments = Self.table.first { $0.key == self }?.value.arguments ?? ""
        return arguments.isEmpty ? rawValue : "\(rawValue) \(arguments)"
    }

    /// Finds the command for its name, an unambiguous beginning of it, or `?` for `help`.
    init(_ word: Substring) throws(PlainCommandError) {
        let start = word == "?" ? "help" : word.lowercased()
        let found = Self.allCases.filter { $0.rawValue.hasPrefix(start) }
        if let exact = found.first(where: { $0.rawValue == start }) ?? (found.count == 1 ? found[0] : nil) {
            self = exact
            return
        }
        guard found.isEmpty else {
            throw PlainCommandError("'\(word)' could be \(found.map(\.rawValue).joined(separator: " or "))")
        }
        let meant = Suggestions.remark(on: start, among: Self.allCases.map(\.rawValue))
        throw PlainCommandError("there is no command '\(word)'\(meant); help lists them")
    }
}

/// The reason why a typed line is not a command.
struct PlainCommandError: Error, Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }
}
