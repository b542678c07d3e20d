import FerryUploads

/// A change of the network: a line of `ferry run --json`, and of hooks.
struct NetworkLine: OutputLine {
    var event: String
    var reason: String?

    static let schema = LineSchema(
        [.init("offline", "There is no network."), .init("online", "The network is back.")],
        maybe: [.init("reason", .text(), "Of offline: why there is none.")])
}

/// A change of whether changes are on disk.
struct StorageLine: OutputLine {
    var event: String
    var text: String
    var hint: String?

    static let schema = LineSchema(
        [
            .init("notSaved", "The disk refuses what changes, and nothing new starts."),
            .init("snapshotFailed", "All is saved, but the journal grows."), .init("saved", "All is saved."),
        ], always: [.init("text", .text(), "A sentence.")],
        maybe: [.init("hint", .text(), "What to do about it.")])
}

struct NoticeLine: OutputLine {
    var event: String
    var text: String

    init(_ notice: Notice) { (event, text) = (notice.kind.rawValue, notice.text) }

    static let schema = LineSchema(
        [
            .init("note", "Something that a person should know."),
            .init("warning", "Something that the configuration allows and that may do harm."),
        ], always: [.init("text", .text(), "A sentence.")])
}

/// The number of uploads in each state.
struct CountsLine: OutputLine {
    var event: String
    var counts: [String: Int]

    static let schema = LineSchema(
        [
            .init("summary", "The run is over."),
            .init("idle", "Nothing runs and nothing will by itself: what ended since the last idle."),
        ],
        always: [
            .init(
                "counts",
                .object(UploadRecordLine.states.map { .init($0, .whole(0...Int.max), "How many.") }),
                "Uploads by state; one that there is none of is left out.")
        ])
}

extension RetryAfterPauseLine: OutputLine {
    static let schema = LineSchema(
        [.init("slow", "A server asks to be left alone.")],
        always: [
            .init("host", .text(), "Which server."),
            .init("status", .whole(100...999), "The status of its answer (HTTP)."),
            .init("until", .moment, "Until when it is left alone."),
            .init("waiting", .whole(0...Int.max), "Uploads that wait for it."),
        ])
}

/// An unreachable host, as a part of `ferry status --json`.
struct UnreachableHostLine: Encodable {
    var host: String
    var reason: String
    var waiting: Int

    init(_ away: UnreachableHost) { (host, reason, waiting) = (away.host, away.reason, away.waiting) }

    static let schema = Schema.record([
        .init("host", .text(), "Its name."),
        .init("reason", .text(), "What is wrong with it, behind its name in a sentence."),
        .init("waiting", .whole(0...Int.max), "Uploads that wait for it."),
    ])
}
