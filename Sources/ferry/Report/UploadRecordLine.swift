import FerryFiles
import FerryProtocols
import FerryTUI
import FerryUploads

/// The line about one upload in `--json` output and for hooks.
struct UploadRecordLine: OutputLine {
    /// The maximum number of ids in `after`. An upload may wait for thousands of others.
    static let longestAfter = 1000
    /// The names of the states, as in `Upload.State.kind`.
    static let states = ["queued", "running", "waiting", "paused", "held", "done", "failed"]

    let event: String
    let upload: Upload
    private let sent: ByteCount?
    private let estimate: TransferEstimate?
    private let failure: UploadFailure?
    private var blocked: BlockedUpload?

    init(
        event: String, _ upload: Upload, sent: ByteCount? = nil, estimate: TransferEstimate? = nil
    ) {
        (self.event, self.upload, self.sent, self.estimate) = (event, upload, sent, estimate)
        failure = UploadText.failure(of: upload.state)
    }

    init(_ blocked: BlockedUpload) {
        self.init(event: "blocked", blocked.upload)
        self.blocked = blocked
    }

    /// The uploads that must be done before this upload starts, at most `longestAfter`; nil if there are none.
    var after: [Int]? {
        guard let after = upload.start?.after, !after.isEmpty else { return nil }
        return Array(after.lazy.joined().prefix(Self.longestAfter))
    }

    private var until: Date? {
        if case .waiting(let until, _) = upload.state { until } else { nil }
    }

    private var receipt: Receipt? {
        if case .done(let receipt, _) = upload.state { receipt } else { nil }
    }

    static let events: KeyValuePairs = [
        "upload": "It is in the queue.", "state": "It has come to this state.",
        "progress": "It is under way.", "removed": "It is no longer in the queue.",
        "blocked": "It is to start after one that has ended and is not done.",
        "done": "It is done.", "failed": "It has failed.",
        "held": "A person must decide.",
    ]

    static let members: [LineMember<Self>] = [
        .always(
            "id", "Its number, given to no other upload of the queue.", as: .whole(1...Int.max), \.upload.id),
        .always(
            "path", "The file, absolute; base64:… of its bytes if it is not UTF-8.", \.upload.path.encoded),
        .always("name", "What the file is called at the server.", \.upload.target.name),
        .always(
            "destination", "The destination's name in the configuration; empty for an address.",
            \.upload.target.destination),
        .always("url", "The address that the upload begins at.", \.upload.target.url),
        .always("protocol", "The protocol; auto as long as it is not chosen.", \.upload.protocolName),
        .always("size", "Bytes of the file, as it was queued.", \.upload.size),
        .always("sent", "Bytes of the file that are on their way or there.") {
            $0.sent ?? $0.upload.confirmed
        },
        .always("confirmed", "Bytes of the file that the server says it holds.", \.upload.confirmed),
        .always("state", "What it waits for or does.", as: .choice(states), \.upload.state.kind),
        .always("attempts", "How often it was begun or gone on with.", \.upload.tries.attempts),
        .always("resumes", "Attempts that resumed from bytes at the server.", \.upload.tries.resumes),
        .always("resent", "Bytes that were sent again.", \.upload.tries.resent),
        .maybe("rate", "Of what runs: bytes per second, now.", \.estimate?.wholeRate),
        .maybe("eta", "Of what runs: seconds until all of it is sent, as it goes now.", \.estimate?.eta),
        .maybe("batch", "The batch that it belongs to.", \.upload.batch),
        .maybe("startsAt", "It does not start before then.", \.upload.start?.notBefore),
        .maybe(
            "after", "The uploads after which it starts; the first \(longestAfter) of them.",
            as: .array(.whole(1...Int.max), atLeast: 1), \.after),
        .maybe("error", "Why it waits, is held or has failed, in a sentence.") {
            $0.blocked?.sentence ?? $0.failure?.summary
        },
        .maybe("hint", "What to do about it.") {
            $0.blocked?.hint ?? $0.failure?.advised(for: $0.upload.target.destination).hint
        },
        .maybe(
            "status", "The status of the server's answer (HTTP).", as: .whole(100...999), \.failure?.status),
        .maybe("until", "When it is retried, if it waits.", \.until),
        .maybe("expires", "When the server drops what it holds.", \.upload.resource?.expires),
        .maybe("location", "The URL of the file, if the server sent one.", \.receipt?.location),
        .maybe("duration", "Seconds that the attempt took that ended it.", \.receipt?.duration),
        .maybe("because", "Why this protocol was chosen.", \.upload.resource?.choice?.because),
        .maybe("parts", "How many parts, for protocols that have parts.", \.upload.resource?.parts),
        .maybe(
            "verified",
            "The digest by which the server confirmed what it holds; done without it is not verified.",
            as: .choice(DigestAlgorithm.self), \.receipt?.verified?.rawValue),
        .maybe("wasThere", "True if nothing was sent because the file was there.") {
            $0.receipt?.wasThere ?? false ? true : nil
        },
        .maybe(
            "source", "What became of the file while it was sent.", as: .choice(SourceDisposition.self),
            \.receipt?.source?.rawValue),
        .maybe("possibleDuplicate", "True if it was sent again although it may have arrived.") {
            $0.upload.mayBeDuplicate ? true : nil
        },
    ]
}

extension UploadResource.Parts: LineValue {
    static let schema = Schema.record([
        .init("held", Int.schema, "Parts that the server holds."),
        .init("planned", Int.schema, "Parts of the whole file."),
    ])
}

extension TransferEstimate {
    /// The rate in whole bytes per second; nil if it is not known.
    var wholeRate: ByteCount? { rate.flatMap { ByteCount(exactly: $0.rounded()) } }
    /// The remaining time in seconds, with one decimal; nil if it is not known.
    var eta: Double? { remaining.map { min(1e12, ($0 * 10).rounded() / 10) } }
}

/// The line of `ferry history --json` about one upload.
struct FinishedLine: OutputLine {
    private let entry: HistoryEntry
    private let upload: UploadRecordLine

    init(_ entry: HistoryEntry) {
        (self.entry, upload) = (entry, UploadRecordLine(event: Self.name, entry.upload))
    }

    static let events: KeyValuePairs = ["finished": "It is in the history."]
    static let members: [LineMember<Self>] =
        UploadRecordLine.members.map { $0.of(\.upload) } + [
            .always(
                "outcome", "removed had failed or was held before.", as: .choice(HistoryEntry.Outcome.self),
                \.entry.outcome.rawValue),
            .always("finished", "When it was done or removed.", \.entry.at),
        ]
}
