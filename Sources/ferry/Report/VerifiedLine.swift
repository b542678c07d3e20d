import FerryTransfer
import FerryUploads

/// The line of `ferry state verify --json` about the files of a queue.
struct VerifiedLine: OutputLine {
    let report: StateReport
    let folder: String

    static let events: KeyValuePairs = ["verified": "The files of a queue were looked at."]
    static let members: [LineMember<Self>] = [
        .always("ok", "True if there are no problems.", \.report.problems.isEmpty),
        .always("folder", "Where they are.", \.folder),
        .always("counts", "Uploads by state; one that there is none of is left out.", \.report.states),
        .always("pendingBytes", "Bytes of changes that are not in queue.json yet.", \.report.pendingBytes),
        .always("files", "What the queue is made of.", \.report.files),
        .always("leftOver", "Files that belong to nothing.", \.report.leftOver),
        .always("notices", "What a start would say.") { $0.report.notices.map(\.summary) },
        .always("problems", "What is damaged, edited, missing or too new.", \.report.problems),
        .maybe("generation", "How often queue.json was written.", \.report.generation),
        .maybe("inUse", "Who has the queue.", \.report.holder?.summary),
        .maybe("hint", "What to do about the problems.", \.report.hint),
    ]
}

extension StateReport.File: LineObject {
    static let members: [LineMember<Self>] = [
        .always("name", "Within the folder.", \.name), .always("bytes", "Its size.", \.bytes),
    ]
}

/// The line of `ferry state flush --json`.
struct FlushedLine: OutputLine {
    let file: String

    static let events: KeyValuePairs = ["flushed": "The whole queue is in one file."]
    static let members: [LineMember<Self>] = [.always("file", "Its path.", \.file)]
}
