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
        for file in report.files {
            lines.append("file         \(file.name), \(ByteFormat.sentence(file.bytes))")
        }
        for file in report.leftOver {
            lines.append("left over    \(SafeLine.text(file.name)), \(ByteFormat.sentence(file.bytes))")
        }
        if let holder = report.holder { lines.append("in use       \(SafeLine.text(holder.summary))") }
        for notice in report.notices { lines.append("at a start   \(SafeLine.text(notice.summary))") }
        for problem in report.problems { lines.append("problem      \(SafeLine.text(problem))") }
        if let hint = report.hint { lines.append("hint         \(SafeLine.text(hint))") }
        if report.problems.isEmpty { lines.append("all good") }
        return lines
    }
}
