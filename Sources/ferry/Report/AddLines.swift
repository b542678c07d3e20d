import FerryFiles
import FerryTransfer
import FerryUploads

/// The line of `ferry add --json` for a file that the command has queued, or would queue without `--dry-run`.
struct AddedLine: OutputLine {
    private let upload: UploadRecordLine
    /// The number of the new upload; nil for a dry run.
    private let id: Upload.ID?

    var event: String { upload.event }

    init(_ new: NewUpload, id: Upload.ID?) {
        let upload = Upload(
            id: id ?? 0, rank: 0, path: new.path, identity: new.identity, target: new.target, added: Date(),
            batch: new.batch, start: new.start)
        self.upload = UploadRecordLine(event: id == nil ? "wouldAdd" : "added", upload)
        self.id = id
    }

    static let events: KeyValuePairs = [
        "added": "It is in the queue now.", "wouldAdd": "It would be without --dry-run.",
    ]
    private static let shared: Set = [
        "path", "name", "destination", "url", "protocol", "size", "batch", "startsAt", "after",
    ]
    static let members: [LineMember<Self>] =
        UploadRecordLine.members.filter { shared.contains($0.row.name) }.map { $0.of(\.upload) } + [
            .maybe("id", "Its number, given to no other upload of the queue.", as: .whole(1...Int.max), \.id)
        ]
}

/// The line of `ferry add --json` for a file that the command has not queued.
struct SkippedLine: OutputLine {
    private let path: LocalPath
    private let reason: String
    /// The existing upload of the same file; nil if the command left out the file for another reason.
    private var upload: Upload?

    init(_ problem: FileSelection.Problem) { (path, reason) = (problem.path, problem.advice) }

    init(_ new: NewUpload, known upload: Upload) {
        (path, self.upload) = (new.path, upload)
        reason =
            switch upload.state {
            case .done: "was uploaded in this version"
            case .failed: "has failed; `ferry retry \(upload.id)` tries it again"
            case .queued, .running, .waiting, .paused, .held: "is in the queue"
            }
    }

    static let events: KeyValuePairs = ["skipped": "It was left out."]
    static let members: [LineMember<Self>] = [
        .always(
            "path", "As it was given or found; base64:… of its bytes if it is not UTF-8.", \.path.encoded),
        .always("reason", "Why, in a few words.", \.reason),
        .maybe("known", "True if it was queued or uploaded before, which is no failure.") {
            $0.upload.map { _ in true }
        },
        .maybe("id", "Of the upload that it is known from.", as: .whole(1...Int.max), \.upload?.id),
        .maybe(
            "state", "What that upload waits for or does.", as: .choice(UploadRecordLine.states),
            \.upload?.state.kind),
    ]
}
