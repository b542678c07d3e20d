/// The commands of the line mode, and their help.
enum PlainVerb: String, CaseIterable, Sendable {
    case help, list, show, add, pause, resume, retry, remove, move, limit, parallel, undo, redo, now, detach,
        quit

    /// The arguments of the command.
    var arguments: String {
        switch self {
        case .help, .undo, .redo, .now, .detach, .quit: ""
        case .list: "[all|active|queued|paused|failed|done] [WORDS]"
        case .show: "N..."
        case .add: "PATH... [to DESTINATION]"
        case .pause, .resume: "N...|all"
        case .retry: "N...|failed"
        case .remove: "N...|done"
        case .move: "N... up|down|top|bottom"
        case .limit: "[20M|off|auto] [to DESTINATION|batch NAME]"
        case .parallel: "4"
        }
    }

    var purpose: String {
        switch self {
        case .help: "list the commands; they may be abbreviated"
        case .list: "list uploads with their numbers; words filter: list failed, list raw size>1g"
        case .show: "details of uploads; N is a number or a range: show 3-7,12"
        case .add: "add files, patterns, folders"
        case .pause: "stop uploads until they are resumed: pause 3-7 12"
        case .resume: "resume paused uploads"
        case .retry: "retry, or send the changed file"
        case .remove: "remove uploads from the queue; the files stay"
        case .move: "change the order of the queue"
        case .limit: "limit bytes per second, in total, of a destination or a batch; auto: as configured"
        case .parallel: "number of uploads at once"
        case .undo:
            "undo the last add, pause, resume, remove, move or limit; up to 50 times"
        case .redo: "redo the last undone change"
        case .now: "try the network now"
        case .detach: "detach; uploads continue in the background"
        case .quit: "quit; unfinished uploads continue in a background engine, or resume next time"
        }
    }

    /// The command with its arguments: `move N... up|down|top|bottom`.
    var usage: String { arguments.isEmpty ? rawValue : "\(rawValue) \(arguments)" }

    /// Creates the command that a word or its beginning stands for.
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
        throw PlainCommandError("there is no command '\(word)'; help lists them")
    }
}

/// The reason why a typed line is no command, and the correct form.
struct PlainCommandError: Error, Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }
}
