import FerryFiles
import FerryProtocols
import FerryUploads

/// The line of `ferry check --json` for one destination.
struct CheckLine: OutputLine {
    let result: CheckResult

    /// The traits of the protocol; nil if `auto` has not chosen a protocol yet, or if the catalog does not contain the
    /// protocol.
    private var traits: ProtocolTraits? {
        result.entry.flatMap { $0.name == AutoUpload.name ? nil : $0.traits }
    }

    static let events: KeyValuePairs = ["check": "A destination was asked what it can do."]
    static let members: [LineMember<Self>] = [
        .always(
            "destination", "Its name in the configuration; empty for an address.", \.result.destination.name),
        .always("url", "Its address, without a query.") {
            UploadAddress.withoutQuery($0.result.destination.url)
        },
        .always("protocol", "The protocol that is used there; auto if that is not known.") {
            $0.result.known?.choice?.name ?? $0.result.destination.protocolName
        },
        .always(
            "ok", "Whether it can be uploaded to, and nothing stayed that was to be removed.", \.result.isFine
        ),
        .always("findings", "What was found out, a sentence each.", \.result.findings),
        .always("leftovers", "Unfinished uploads at the server.", \.result.leftovers),
        .maybe("because", "Why this protocol.", \.result.known?.choice?.because),
        .maybe("error", "What is wrong, in a sentence.", \.result.failure?.summary),
        .maybe("hint", "What to do about it.", \.result.failure?.hint),
        .maybe(
            "status", "The status of the answer (HTTP).", as: .whole(100...999), \.result.failure?.status),
        .maybe("asked", "When the server was last asked what it offers.", \.result.known?.asked),
        .maybe("extensions", "Of its protocol, by the names that the server gives them.") {
            $0.result.known?.extensions.sorted()
        },
        .maybe("maximumSize", "Bytes of the largest file that it takes.", \.result.known?.maximumSize),
        .maybe("resumes", "Whether an upload resumes after a crash.") {
            $0.traits == nil ? nil : $0.result.resumes
        },
        .maybe("parallel", "Whether one upload has several requests at once.") {
            $0.traits == nil ? nil : $0.result.isParallel
        },
        .maybe("checksums", "What `checksum` may be there.", as: .array(.choice(DigestAlgorithm.self))) {
            $0.traits?.checksums.map(\.rawValue).sorted()
        },
        .maybe("ifExists", "What `ifExists` may be there.", as: .array(.choice(ExistingFilePolicy.self))) {
            $0.traits?.existing.map(\.rawValue).sorted()
        },
    ]
}

extension CheckResult.Leftover: LineObject {
    static let members: [LineMember<Self>] = [
        .always("name", "What it was to become.", \.leftover.name),
        .always(
            "state",
            "own is of an upload in the queue; deletedSoon is of one that was just removed, which the running engine deletes; failed is there in spite of --remove-leftovers.",
            as: .choice(["there", "own", "deletedSoon", "removed", "failed"]), \.state),
        .maybe("size", "Bytes that the server holds of it.", \.leftover.size),
        .maybe("begun", "When it was begun, as the server says.", \.leftover.begun),
        .maybe("changed", "When it was last written to, as the server says.", \.leftover.changed),
        .maybe("givenUp", "When it was taken out of the queue of this machine.", \.abandoned?.since),
        .maybe("error", "Why it is still there.") {
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
