import TUI
import UploadProtocols

extension QueueEvent {
    /// What the commands hooked to it read: one line with the names of `--json`.
    var line: String {
        let event = name.rawValue
        switch self {
        case .ended(_, let upload): return UploadRecordLine(event: event, upload).text
        case .idle(let counts):
            struct Idle: Encodable {
                var event: String
                var counts: [String: Int]
            }
            let named = counts.map { ($0.key.rawValue, $0.value) }
            return JSONLine.text(Idle(event: event, counts: Dictionary(uniqueKeysWithValues: named)))
        case .offline(let reason): return JSONLine.text(["event": event, "reason": reason])
        case .online: return JSONLine.text(["event": event])
        case .notSaved(let failure):
            var members = ["event": event, "text": failure?.summary ?? ""]
            members["hint"] = failure?.hint
            return JSONLine.text(members)
        }
    }
}
