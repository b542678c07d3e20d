import FerryUploads

/// The line of `ferry state verify --json` about the files of a queue.
struct VerifiedLine: OutputLine {
    let report: StateReport
    let folder: String

    static let events: KeyValuePairs = ["verified": "The files of a queue were checked."]
    static let members: LineMembers<Self> = [
        .always("ok", "True if there are no problems.", \.report.problems.isEmpty),
        .always("folder", "The folder of these files.", \.folder),
        .always(
            "counts", "The number of uploads by state; states without uploads are left out.",
            \.report.states),
        .always(
            "pendingBytes", "The bytes of changes that are not in queue.json yet.", \.report.pendingBytes),
        .always("files", "The files of the queue.", \.report.files),
        .always("leftOver", "The files that no program needs.", \.report.leftOver),
        .always("notices", "The repairs that the engine would make at its start.") {
            $0.report.notices.map(\.summary)
        },
        .always(
            "problems", "The errors of the files: damage, edits, missing or too new files.",
            \.report.problems),
        .maybe("generation", "The number of times that queue.json was written.", \.report.generation),
        .maybe("inUse", "The process that uses the queue.", \.report.holder?.summary),
        .maybe("hint", "The next step if there are problems.", \.report.hint),
    ]
}

extension StateReport.File: LineObject {
    static let members: LineMembers<Self> = [
        .always("name", "The name in the folder.", \.name), .always("bytes", "The size in bytes.", \.bytes),
    ]
}

/// The line of `ferry state flush --json`.
struct FlushedLine: OutputLine {
    let file: String

    static let events: KeyValuePairs = ["flushed": "The whole queue is in one file."]
    static let members: LineMembers<Self> = [.always("file", "The path of the file.", \.file)]
}
