import FerryProtocols
import FerryUploads

/// The line of `ferry check --json` for one destination.
struct CheckLine: OutputLine {
    let result: CheckResult

    /// The traits of the protocol; nil if `auto` has not chosen one yet, or if the catalog does not contain it.
    private var traits: ProtocolTraits? {
        result.entry.flatMap { $0.name == AutoUpload.name ? nil : $0.traits }
    }

    static let events: KeyValuePairs = ["check": "The result for one destination."]
    static let members: LineMembers<Self> = [
        .always(
            "destination", "The destination's name in the configuration; empty if a URL was given.",
            \.result.destination.name),
        .always("url", "The destination's URL, without its query.") {
            UploadAddress.withoutQuery($0.result.destination.url)
        },
        .always("protocol", "The protocol of uploads to it; `auto` if none is chosen yet.") {
            $0.result.known?.choice?.name ?? $0.result.destination.protocolName
        },
        .always("ok", "True if the check found no error and every removal succeeded.", \.result.isFine),
        .always("findings", "The findings, one sentence each.", \.result.findings),
        .always("leftovers", "The unfinished uploads at the server.", \.result.leftovers),
        .maybe("because", "The reason for the choice of the protocol.", \.result.known?.choice?.because),
        .maybe("error", "The error, in a sentence.", \.result.failure?.summary),
        .maybe("hint", "The next step for the user.", \.result.failure?.hint),
        .maybe(
            "status", "The HTTP status of the server's response.", as: .whole(100...999),
            \.result.failure?.status),
        .maybe("asked", "The time when the server was last asked for its features.", \.result.known?.asked),
        .maybe("extensions", "The protocol extensions that the server offers, by the server's names.") {
            $0.result.known?.extensions.sorted()
        },
        .maybe(
            "maximumSize", "The size in bytes of the largest file that the server accepts.",
            \.result.known?.maximumSize),
        .maybe("resumes", "Whether an upload resumes after a crash.") {
            $0.traits == nil ? nil : $0.result.resumes
        },
        .maybe("parallel", "Whether one upload can have several requests at once.") {
            $0.traits == nil ? nil : $0.result.isParallel
        },
        .maybe("checksums", "The possible values of `checksum`.", as: .array(.choice(DigestAlgorithm.self))) {
            $0.traits == nil ? nil : $0.result.checksums?.map(\.rawValue).sorted()
        },
        .maybe(
            "ifExists", "The possible values of `ifExists`.", as: .array(.choice(ExistingFilePolicy.self))
        ) {
            $0.traits?.existing.map(\.rawValue).sorted()
        },
    ]
}

extension CheckResult.Leftover: LineObject {
    static let members: LineMembers<Self> = [
        .always("name", "The name that the file was to have.", \.leftover.name),
        .always(
            "state",
            "`own`: an upload in the queue may need it. `deletedSoon`: its upload was removed just now, and the running engine deletes it. `failed`: `--remove-leftovers` could not delete it.",
            as: .choice(["there", "own", "deletedSoon", "removed", "failed"]), \.state),
        .maybe("size", "The number of bytes stored at the server.", \.leftover.size),
        .maybe("begun", "The time when it was created, by the server's clock.", \.leftover.begun),
        .maybe("changed", "The time of the last write, by the server's clock.", \.leftover.changed),
        .maybe(
            "givenUp", "The time when its upload was removed from the queue of this machine.",
            \.abandoned?.since),
        .maybe("error", "The reason why it was not deleted.") {
            if case .stays(let failure) = $0.disposition { failure.summary } else { nil }
        },
    ]

    private var state: String {
        switch disposition {
        case .isThere: "there"
        case .own: "own"
        case .deletedSoon: "deletedSoon"
        case .removed: "removed"
        case .stays: "failed"
        }
    }
}
