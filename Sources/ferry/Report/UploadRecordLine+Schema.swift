import FerryProtocols
import FerryTUI
import FerryUploads

extension UploadRecordLine: OutputLine {
    static let schema = LineSchema(
        [
            .init("upload", "It is in the queue."), .init("state", "It has come to this state."),
            .init("progress", "It is under way."), .init("removed", "It is no longer in the queue."),
            .init("blocked", "It is to start after one that has ended and is not done."),
            .init("done", "It is done."), .init("failed", "It has failed."),
            .init("held", "A person must decide."),
        ], always: always, maybe: sometimes)

    /// An amount in bytes.
    private static let amount = Schema.whole(0...Int.max)
    private static let count = Schema.whole(0...Int.max)

    static let always: [Schema.Member] = [
        .init("id", .whole(1...Int.max), "Its number, given to no other upload of the queue."),
        .init("path", .text(), "The file, absolute; base64:… of its bytes if it is not UTF-8."),
        .init("name", .text(), "What the file is called at the server."),
        .init(
            "destination", .text(), "The destination's name in the configuration; empty for an address."),
        .init("url", .text(), "The address that the upload begins at."),
        .init("protocol", .text(), "The protocol; auto as long as it is not chosen."),
        .init("size", amount, "Bytes of the file, as it was queued."),
        .init("sent", amount, "Bytes of the file that are on their way or there."),
        .init("confirmed", amount, "Bytes of the file that the server says it holds."),
        .init("state", .choice(Self.states), "What it waits for or does."),
        .init("attempts", count, "How often it was begun or gone on with."),
        .init("resumes", count, "Attempts that resumed from bytes at the server."),
        .init("resent", amount, "Bytes that were sent again."),
    ]

    static let sometimes: [Schema.Member] = [
        .init("rate", amount, "Of what runs: bytes per second, now."),
        .init("eta", .number(0...1e12), "Of what runs: seconds until all of it is sent, as it goes now."),
        .init("batch", .text(), "The batch that it belongs to."),
        .init("startsAt", .moment, "It does not start before then."),
        .init(
            "after", .array(.whole(1...Int.max), atLeast: 1),
            "The uploads after which it starts; the first \(longestAfter) of them."),
        .init("error", .text(), "Why it waits, is held or has failed, in a sentence."),
        .init("hint", .text(), "What to do about it."),
        .init("status", .whole(100...999), "The status of the server's answer (HTTP)."),
        .init("until", .moment, "When it is retried, if it waits."),
        .init("expires", .moment, "When the server drops what it holds."),
        .init("location", .text(), "The URL of the file, if the server sent one."),
        .init("duration", .number(0...1e12), "Seconds that the attempt took that ended it."),
        .init("because", .text(), "Why this protocol was chosen."),
        .init(
            "parts",
            .record([
                .init("held", count, "Parts that the server holds."),
                .init("planned", count, "Parts of the whole file."),
            ]), "How many parts, for protocols that have parts."),
        .init(
            "verified", .choice(DigestAlgorithm.self),
            "The digest by which the server confirmed what it holds; done without it is not verified."),
        .init("wasThere", .flag, "True if nothing was sent because the file was there."),
        .init("source", .choice(SourceDisposition.self), "What became of the file while it was sent."),
        .init("possibleDuplicate", .flag, "True if it was sent again although it may have arrived."),
    ]

    /// The states as `Upload.State.kind` names them.
    static let states = ["queued", "running", "waiting", "paused", "held", "done", "failed"]
}
