import FerryProtocols
import FerryTUI

extension QueueEvent {
    /// What the commands hooked to it read: one line with the names of `--json`.
    var line: String {
        let event = name.rawValue
        switch self {
        case .ended(_, let upload): return UploadRecordLine(event: event, upload).text
        case .idle(let counts):
            let named = counts.map { ($0.key.rawValue, $0.value) }
            return JSONLine.text(CountsLine(event: event, counts: Dictionary(uniqueKeysWithValues: named)))
        case .offline(let reason): return JSONLine.text(NetworkLine(event: event, reason: reason))
        case .online: return JSONLine.text(NetworkLine(event: event))
        case .notSaved(let failure):
            let text = failure?.summary ?? ""
            return JSONLine.text(StorageLine(event: event, text: text, hint: failure?.hint))
        }
    }
}
