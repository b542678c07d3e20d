import FerryUploads

/// The line of `ferry add --json` for a file that the command has queued, or would queue without `--dry-run`.
struct AddedLine: OutputLine {
    private let upload: UploadRecordLine
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
        "added": "The file is in the queue now.", "wouldAdd": "The file would be added without `--dry-run`.",
    ]
    private static let shared: Set = [
        "path", "name", "destination", "url", "protocol", "size", "batch", "startsAt", "after",
    ]
    static let members = LineMembers<Self>(
        UploadRecordLine.members.all.filter { shared.contains($0.row.name) }.map { $0.of(\.upload) } + [
            .maybe("id", "The upload's number. The queue gives it to no other upload.", as: .positive, \.id)
        ])
}

/// The line of `ferry add --json` for a file that the command has not queued.
struct SkippedLine: OutputLine {
    private let path: LocalPath
    private let reason: String
    /// The upload that the queue or the history already has for the file; nil if the file was left out otherwise.
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

    static let events: KeyValuePairs = ["skipped": "The file was left out."]
    static let members: LineMembers<Self> = [
        .always("path", "The path as given or found; `base64:` and the bytes if not UTF-8.", \.path.encoded),
        .always("reason", "The reason, in a few words.", \.reason),
        .maybe("known", "True if the file has an upload already, which is not a failure.") {
            $0.upload.map { _ in true }
        },
        .maybe("id", "The number of that upload.", as: .positive, \.upload?.id),
        .maybe(
            "state", "The state of that upload.", as: .choice(UploadRecordLine.states), \.upload?.state.kind),
    ]
}
