import FerryTransfer
import FerryUploads

/// The line of `ferry state verify --json`.
struct VerifiedLine: OutputLine {
    struct File: Encodable {
        var name: String
        var bytes: Int
    }

    var event = "verified"
    var ok: Bool
    var folder: String
    var generation: Int?
    var counts: [String: Int]
    var pendingBytes: Int
    var files: [File]
    var leftOver: [File]
    var inUse: String?
    var notices: [String]
    var problems: [String]
    var hint: String?
}

extension VerifiedLine {
    init(_ report: StateReport, folder: String) {
        ok = report.problems.isEmpty
        self.folder = folder
        generation = report.generation
        counts = report.states
        pendingBytes = report.pendingBytes
        files = report.files.map { File(name: $0.name, bytes: $0.bytes) }
        leftOver = report.leftOver.map { File(name: $0.name, bytes: $0.bytes) }
        inUse = report.holder?.summary
        notices = report.notices.map(\.summary)
        problems = report.problems
        hint = report.hint
    }

    private static let file = Schema.record([
        .init("name", .text(), "Within the folder."),
        .init("bytes", .whole(0...Int.max), "Its size."),
    ])

    static let schema = LineSchema(
        [.init("verified", "The files of a queue were looked at.")],
        always: [
            .init("ok", .flag, "True if there are no problems."),
            .init("folder", .text(), "Where they are."),
            .init(
                "counts",
                .object(UploadRecordLine.states.map { .init($0, .whole(0...Int.max), "How many.") }),
                "Uploads by state; one that there is none of is left out."),
            .init("pendingBytes", .whole(0...Int.max), "Bytes of changes that are not in queue.json yet."),
            .init("files", .array(file), "What the queue is made of."),
            .init("leftOver", .array(file), "Files that belong to nothing."),
            .init("notices", .array(.text()), "What a start would say."),
            .init("problems", .array(.text()), "What is damaged, edited, missing or too new."),
        ],
        maybe: [
            .init("generation", .whole(0...Int.max), "How often queue.json was written."),
            .init("inUse", .text(), "Who has the queue."),
            .init("hint", .text(), "What to do about the problems."),
        ])
}

/// The line of `ferry state flush --json`.
struct FlushedLine: OutputLine {
    var event = "flushed"
    var file: String

    static let schema = LineSchema(
        [.init("flushed", "The whole queue is in one file.")],
        always: [.init("file", .text(), "Its path.")])
}
