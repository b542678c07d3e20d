import FerryProtocols
import FerryUploads

/// The JSON Schema of all lines that Ferry prints for programs (`ferry config --output-schema`), with one schema for
/// each command, such as `#/$defs/ferry-list`.
enum OutputSchema {
    static let lines: [any OutputLine.Type] = [
        UploadRecordLine.self, FinishedLine.self, AddedLine.self, SkippedLine.self, ChangedLine.self,
        CountsLine.self, NetworkLine.self, StorageLine.self, NoticeLine.self, RetryAfterPauseLine.self,
        StatusLine.self, StopLine.self, CheckLine.self, VerifiedLine.self, ConfigurationLine.self,
        LimitLine.self, FlushedLine.self, ListeningLine.self, ReceiverLine.self, ReloadLine.self,
    ]

    /// The possible values of `event` in the `--json` output of each command.
    static let commands: [String: [String]] = [
        "add": ["added", "wouldAdd", "skipped"],
        "run": [
            "state", "progress", "removed", "blocked", "offline", "online", "notSaved", "snapshotFailed",
            "saved",
            "note", "warning", "slow", "limit", "summary",
        ],
        "wait": ["state", "removed", "blocked"],
        "list": ["upload"],
        "history": ["finished"],
        "pause": ["changed"], "resume": ["changed"], "retry": ["changed"], "remove": ["changed"],
        "move": ["changed"], "undo": ["changed", "wouldUndo"], "redo": ["changed"], "status": ["status"],
        "stop": ["stop"], "reload": ["reload"], "limit": ["limit"], "check": ["check"],
        "state verify": ["verified"], "state flush": ["flushed"],
        "serve": [
            "listening", "begun", "stored", "interrupted", "resumed", "withdrawn", "expired", "refused",
        ],
        "config": ["configuration"],
    ]

    /// The possible values of `event` in the JSON lines that hooks read.
    static let hooks = QueueEvent.Name.allCases.map(\.rawValue)

    static var text: String {
        var definitions: [String: JSONValue] = [:]
        for line in lines { definitions[line.name] = .object(line.lineSchema.value) }
        for (command, events) in commands {
            definitions["ferry-" + command.replacing(" ", with: "-")] = .object(only(events))
        }
        definitions["hooks"] = .object(only(hooks))
        definitions["line"] = .object([
            "oneOf": .array(lines.map { .object(["$ref": .text("#/$defs/\($0.name)")]) })
        ])
        return Schema.text(
            ["$defs": .object(definitions), "$ref": "#/$defs/line"],
            title: "Lines of JSON that Ferry \(FerryVersion.current) prints")
    }

    private static func only(_ events: [String]) -> [String: JSONValue] {
        ["$ref": "#/$defs/line", "properties": .object(["event": .object(Schema.choice(events).value)])]
    }
}
