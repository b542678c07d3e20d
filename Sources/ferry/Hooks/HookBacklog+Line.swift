import FerryProtocols
import FerryUploads

extension HookBacklog.Entry {
    /// The event as a line of JSON, which a hook (a command from the configuration) reads on standard input. The
    /// members have the same names as in the output with `--json`.
    var line: String {
        let name = name.rawValue
        switch event {
        case .upload(let event): return UploadRecordLine(event: name, event.upload).text
        case .idle(let counts):
            let named = counts.map { ($0.key.rawValue, $0.value) }
            return CountsLine(event: name, counts: Dictionary(uniqueKeysWithValues: named)).text
        case .status(.offline(let reason)): return NetworkLine(event: name, reason: reason).text
        case .status(.storage(_, let failure)):
            let text = failure?.summary ?? ""
            return StorageLine(event: name, text: text, hint: failure?.hint).text
        case .status: return NetworkLine(event: name).text
        }
    }
}
