import FerryFiles
import FerryUploads

/// An upload as `ferry history --json` prints it.
struct FinishedLine: OutputLine {
    var upload: UploadRecordLine
    /// The way in which it ended.
    var outcome: String
    var finished: Date

    private enum CodingKeys: CodingKey {
        case outcome, finished
    }

    init(_ entry: HistoryEntry) {
        upload = UploadRecordLine(event: "finished", entry.upload)
        outcome = entry.outcome.rawValue
        finished = entry.at
    }

    /// Encodes the members of the upload beside the others.
    func encode(to encoder: any Encoder) throws {
        try upload.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(finished, forKey: .finished)
    }

    static let schema = LineSchema(
        [.init("finished", "It is in the history.")],
        always: UploadRecordLine.always + [
            .init("outcome", .choice(HistoryEntry.Outcome.self), "removed had failed or was held before."),
            .init("finished", .moment, "When it was done or removed."),
        ], maybe: UploadRecordLine.sometimes)
}
