import FerryProtocols
import FerryTUI
import FerryUploads

/// The line about one upload in `--json` output and for hooks.
struct UploadRecordLine: OutputLine {
    /// The maximum number of ids in `after`. It keeps lines short, because an upload can wait for thousands of uploads.
    static let longestAfter = 1000
    /// The names of the states, as in `Upload.State.kind`.
    static let states = ["queued", "running", "waiting", "paused", "held", "done", "failed"]

    let event: String
    let upload: Upload
    private let sent: ByteCount?
    private let estimate: TransferEstimate?
    private var blocked: BlockedUpload?

    init(event: String, _ upload: Upload, sent: ByteCount? = nil, estimate: TransferEstimate? = nil) {
        (self.event, self.upload, self.sent, self.estimate) = (event, upload, sent, estimate)
    }

    init(_ blocked: BlockedUpload) {
        self.init(event: "blocked", blocked.upload)
        self.blocked = blocked
    }

    /// The ids of the uploads that must be done before this upload starts, at most `longestAfter`.
    var after: [Int]? {
        guard let after = upload.start?.after, !after.isEmpty else { return nil }
        return Array(after.lazy.joined().prefix(Self.longestAfter))
    }

    private var until: Date? { if case .waiting(let until, _) = upload.state { until } else { nil } }

    private var failure: UploadFailure? {
        switch upload.state {
        case .waiting(_, let failure), .held(let failure), .failed(let failure): failure
        case .queued, .running, .paused, .done: nil
        }
    }

    private var receipt: Receipt? { if case .done(let receipt, _) = upload.state { receipt } else { nil } }

    static let events: KeyValuePairs = [
        "upload": "An upload of the queue.", "state": "The state of an upload changed.",
        "progress": "The progress of a running upload.", "removed": "An upload was removed from the queue.",
        "blocked": "An upload waits for one that ended and is not done.", "done": "An upload is done.",
        "failed": "An upload failed.", "held": "An upload waits for a decision of the user.",
    ]

    static let members: LineMembers<Self> = [
        .always(
            "id", "The upload's number. The queue gives it to no other upload.", as: .positive, \.upload.id),
        .always(
            "path", "The absolute path of the file; `base64:` and the bytes if not UTF-8.",
            \.upload.path.encoded),
        .always("name", "The name of the file at the server.", \.upload.target.name),
        .always(
            "destination", "The destination's name in the configuration; empty if a URL was given.",
            \.upload.target.destination),
        .always("url", "The URL at which the upload begins.", \.upload.target.url),
        .always("protocol", "The protocol; `auto` until one is chosen.", \.upload.protocolName),
        .always("size", "The size of the file in bytes when it was queued.", \.upload.size),
        .always("sent", "The bytes of the file that were sent, confirmed or not.") {
            $0.sent ?? $0.upload.confirmed
        },
        .always(
            "confirmed", "The bytes of the file that the server has confirmed.", \.upload.confirmed),
        .always("state", "The state of the upload.", as: .choice(states), \.upload.state.kind),
        .always("attempts", "The number of attempts.", \.upload.tries.attempts),
        .always("resumes", "The attempts that resumed from bytes at the server.", \.upload.tries.resumes),
        .always("resent", "The number of bytes that were sent again.", \.upload.tries.resent),
        .maybe("rate", "The current rate in bytes per second, of a running upload.", \.estimate?.wholeRate),
        .maybe("eta", "The estimated seconds until a running upload is sent.", \.estimate?.eta),
        .maybe("batch", "The batch of the upload.", \.upload.batch),
        .maybe("startsAt", "The earliest time at which the upload starts.", \.upload.start?.notBefore),
        .maybe(
            "after", "The uploads that must be done before it starts; at most \(longestAfter) of them.",
            as: .array(.positive, atLeast: 1), \.after),
        .maybe("error", "The reason why the upload waits, is held or failed, in a sentence.") {
            $0.blocked?.sentence ?? $0.failure?.summary
        },
        .maybe("hint", "The next step for the user.") {
            $0.blocked?.hint ?? $0.failure?.advised(for: $0.upload.target.destination).hint
        },
        .maybe(
            "status", "The HTTP status of the server's response.", as: .whole(100...999), \.failure?.status),
        .maybe("until", "The time of the next attempt, of a waiting upload.", \.until),
        .maybe(
            "expires", "The time when the server deletes the unfinished upload.", \.upload.resource?.expires),
        .maybe("location", "The URL of the finished upload, if the server sent one.", \.receipt?.location),
        .maybe("duration", "The seconds that the last attempt of a done upload took.", \.receipt?.duration),
        .maybe("because", "The reason for the choice of the protocol.", \.upload.resource?.choice?.because),
        .maybe("parts", "The number of parts, for protocols with parts.", \.upload.resource?.parts),
        .maybe(
            "verified",
            "The digest by which the server confirmed the file. A done upload without it is not verified.",
            as: .choice(DigestAlgorithm.self), \.receipt?.verified?.rawValue),
        .maybe("wasThere", "True if nothing was sent because the server had the file already.") {
            $0.receipt?.wasThere ?? false ? true : nil
        },
        .maybe(
            "source", "The change of the local file during the upload.", as: .choice(SourceDisposition.self),
            \.receipt?.source?.rawValue),
        .maybe(
            "possibleDuplicate", "True if the upload was sent again and the first copy may have arrived."
        ) {
            $0.upload.mayBeDuplicate ? true : nil
        },
    ]
}

extension UploadResource.Parts: LineObject {
    static let members: LineMembers<Self> = [
        .always("held", "The number of parts stored at the server.", \.stored),
        .always("planned", "The number of parts of the whole file.", \.planned),
    ]
}

extension TransferEstimate {
    /// The rate in whole bytes per second; nil if it is not known.
    var wholeRate: ByteCount? { rate.flatMap { ByteCount(exactly: $0.rounded()) } }
    /// The remaining time in seconds, with one decimal and at most 1e12; nil if it is not known.
    var eta: Double? { remaining.map { min(1e12, ($0 * 10).rounded() / 10) } }
}

/// The line of `ferry history --json` about one upload.
struct FinishedLine: OutputLine {
    private let entry: HistoryEntry
    private let upload: UploadRecordLine

    init(_ entry: HistoryEntry) {
        (self.entry, upload) = (entry, UploadRecordLine(event: Self.name, entry.upload))
    }

    static let events: KeyValuePairs = ["finished": "An upload in the history."]
    static let members = LineMembers<Self>(
        UploadRecordLine.members.all.map { $0.of(\.upload) } + [
            .always(
                "outcome",
                "The end of the upload; `removed`: it had failed or was held, and a user removed it.",
                as: .choice(HistoryEntry.Outcome.self), \.entry.outcome.rawValue),
            .always("finished", "The time when the upload was done or removed.", \.entry.at),
        ])
}
