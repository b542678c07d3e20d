/// The commands of the line mode: what is typed, and the help made of it.
enum PlainVerb: String, CaseIterable, Sendable {
    case help, list, show, add, pause, resume, retry, remove, move, limit, parallel, undo, redo, now, detach,
        quit

    /// What follows the word.
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
        case .help: "this list; words may be cut short as long as they are clear"
        case .list: "the uploads and their numbers; words narrow it: list failed, list raw size>1g"
        case .show: "all about uploads; N is a number, or a range for those that are in it: show 3-7,12"
        case .add: "add files, patterns, folders"
        case .pause: "stop uploads until they are resumed: pause 3-7 12"
        case .resume: "let paused uploads go on"
        case .retry: "try again, or send the changed file"
        case .remove: "take uploads out of the queue; the files stay where they are"
        case .move: "change the order of the queue"
        case .limit: "bytes a second over all uploads, or those of one kind; auto is as configured"
        case .parallel: "how many run at once"
        case .undo:
            "take back the last add, pause, resume, remove, move or limit; up to 50, one after the other"
        case .redo: "do again what undo took back"
        case .now: "try the network now"
        case .detach: "leave; uploads go on in the background"
        case .quit: "leave; what is not finished goes on with the engine in the background, else next time"
        }
    }

    /// `move N... up|down|top|bottom`.
    var usage: String { arguments.isEmpty ? rawValue : "\(rawValue) \(arguments)" }

    /// The one command that a word stands for.
    init(_ word: Substring) throws(PlainMistake) {
        let start = word == "?" ? "help" : word.lowercased()
        let found = Self.allCases.filter { $0.rawValue.hasPrefix(start) }
        if let exact = found.first(where: { $0.rawValue == start }) ?? (found.count == 1 ? found[0] : nil) {
            self = exact
            return
        }
        guard found.isEmpty else {
            throw PlainMistake("'\(word)' could be \(found.map(\.rawValue).joined(separator: " or "))")
        }
        throw PlainMistake("there is no command '\(word)'; help lists them")
    }
}

/// Why a typed line means nothing, and what would.
struct PlainMistake: Error, Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }
}
