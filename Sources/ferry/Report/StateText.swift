import FerryProtocols
import FerryUploads

/// The output of `ferry state verify`.
enum StateText {
    static func lines(_ report: StateReport, folder: String) -> [String] {
        var lines = ["folder       \(SafeLine.text(folder))"]
        if report.files.isEmpty { lines.append("queue        none yet") }
        if let generation = report.generation { lines.append("generation   \(generation)") }
        if !report.files.isEmpty, report.problems.isEmpty {
            let states = report.states.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            lines.append("uploads      \(states.isEmpty ? "none" : states.joined(separator: ", "))")
            lines.append(
                "not flushed  \(ByteFormat.sentence(report.pendingBytes)) of changes in the journals")
        }
        lines += report.files.map { "file         \($0.name), \(ByteFormat.sentence($0.bytes))" }
        lines += report.leftOver.map {
            "left over    \(SafeLine.text($0.name)), \(ByteFormat.sentence($0.bytes))"
        }
        if let holder = report.holder { lines.append("in use       \(SafeLine.text(holder.summary))") }
        lines += report.notices.map { "at a start   \(SafeLine.text($0.summary))" }
        lines += report.problems.map { "problem      \(SafeLine.text($0))" }
        if let hint = report.hint { lines.append("hint         \(SafeLine.text(hint))") }
        if report.problems.isEmpty { lines.append("all good") }
        return lines
    }
}
