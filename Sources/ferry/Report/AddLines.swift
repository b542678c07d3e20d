import FerryFiles
import FerryTransfer
import FerryUploads

/// A file that `ferry add --json` has queued, or would queue.
struct AddedLine: OutputLine {
    var event: String
    /// The number of the upload; nil while it is not in the queue.
    var id: Int?
    var path: String
    var name: String
    var destination: String
    var url: String
    var `protocol`: String
    /// The size in bytes.
    var size: Int
    /// The batch of the upload.
    var batch: String?
    /// The earliest start.
    var startsAt: Date?
    /// The uploads after which it starts, `UploadRecordLine.longestAfter` at most.
    var after: [Int]?

    /// - Parameter id: The number; nil for a dry run.
    init(_ new: NewUpload, id: Upload.ID?) {
        event = id == nil ? "wouldAdd" : "added"
        self.id = id
        path = new.path.encoded
        name = new.target.name
        destination = new.target.destination
        url = new.target.url
        self.protocol = new.target.method
        size = Int(clamping: new.identity.size)
        batch = new.batch
        startsAt = new.start?.notBefore
        after = new.start.flatMap(UploadRecordLine.after)
    }

    static let schema = LineSchema(
        [.init("added", "It is in the queue now."), .init("wouldAdd", "It would be without --dry-run.")],
        always: UploadRecordLine.always.filter {
            ["path", "name", "destination", "url", "protocol", "size"].contains($0.name)
        },
        maybe: UploadRecordLine.always.filter { $0.name == "id" }
            + UploadRecordLine.sometimes.filter { ["batch", "startsAt", "after"].contains($0.name) })
}

/// A file that `ferry add --json` has not queued.
struct SkippedLine: OutputLine {
    var event = "skipped"
    var path: String
    var reason: String
    /// True if the file need not be queued; nil if it could not be.
    var known: Bool?
    /// The number of the upload that makes it unnecessary.
    var id: Int?
    /// The state of that upload.
    var state: String?

    init(_ problem: FileSelection.Problem) { (path, reason) = (problem.path.encoded, problem.reason) }

    init(_ new: NewUpload, known upload: Upload) {
        path = new.path.encoded
        known = true
        id = upload.id
        state = upload.state.kind
        reason =
            switch upload.state {
            case .done: "was uploaded in this version"
            case .failed: "has failed; `ferry retry \(upload.id)` tries it again"
            case .queued, .running, .waiting, .paused, .held: "is in the queue"
            }
    }

    static let schema = LineSchema(
        [.init("skipped", "It was left out.")],
        always: [
            .init("path", .text(), "As it was given or found; base64:… of its bytes if it is not UTF-8."),
            .init("reason", .text(), "Why, in a few words."),
        ],
        maybe: [
            .init("known", .flag, "True if it was queued or uploaded before, which is no failure."),
            .init("id", .whole(1...Int.max), "Of the upload that it is known from."),
            .init("state", .choice(UploadRecordLine.states), "What that upload waits for or does."),
        ])
}
