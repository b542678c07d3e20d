import FerryFiles
import FerryProtocols
import FerryUploads

/// A checked destination as `--json` prints it. Names and units are in its schema and do not change.
struct CheckLine: OutputLine {
    struct Leftover: Encodable {
        var name: String
        /// The number of bytes that the server has stored.
        var size: ByteCount?
        var begun: Date?
        var changed: Date?
        var givenUp: Date?
        /// The state: `there`, `own`, `deletedSoon`, `removed` or `failed`.
        var state: String
        var error: String?
    }

    var event = "check"
    var destination: String
    var url: String
    var `protocol`: String
    /// The reason why `auto` chose the protocol.
    var because: String?
    var ok: Bool
    var error: String?
    var hint: String?
    var status: Int?
    var findings: [String]
    var asked: Date?
    var extensions: [String]?
    var maximumSize: ByteCount?
    var resumes: Bool?
    var parallel: Bool?
    var checksums: [String]?
    var ifExists: [String]?
    var leftovers: [Leftover]

    init(_ result: CheckResult) {
        destination = result.destination.name
        url = UploadAddress.withoutQuery(result.destination.url)
        self.protocol = result.known?.choice?.name ?? result.destination.protocolName
        because = result.known?.choice?.because
        ok = result.isFine
        error = result.failure?.summary
        hint = result.failure?.hint
        status = result.failure?.status
        findings = result.findings
        asked = result.known?.asked
        extensions = result.known?.extensions.sorted()
        maximumSize = result.known?.maximumSize
        // The protocol `auto` itself has no capabilities.
        if let entry = result.entry, entry.name != AutoUpload.name {
            resumes = result.resumes
            parallel = result.isParallel
            checksums = entry.traits.checksums.map(\.rawValue).sorted()
            ifExists = entry.traits.existing.map(\.rawValue).sorted()
        }
        leftovers = result.leftovers.map { leftover in
            let (state, error): (String, String?) =
                switch leftover.fate {
                case .isThere: ("there", nil)
                case .own: ("own", nil)
                case .deletedSoon: ("deletedSoon", nil)
                case .removed: ("removed", nil)
                case .stays(let failure): ("failed", failure.summary)
                }
            return Leftover(
                name: leftover.leftover.name, size: leftover.leftover.size, begun: leftover.leftover.begun,
                changed: leftover.leftover.changed, givenUp: leftover.abandoned?.since, state: state,
                error: error)
        }
    }

    /// The value as one line of JSON, keys sorted, without a line break.
    var text: String { JSONLine.text(self) }
}

extension CheckLine {
    static let schema = LineSchema(
        [.init("check", "A destination was asked what it can do.")],
        always: [
            .init("destination", .text(), "Its name in the configuration; empty for an address."),
            .init("url", .text(), "Its address, without a query."),
            .init("protocol", .text(), "The protocol that is used there; auto if that is not known."),
            .init("ok", .flag, "Whether it can be uploaded to, and nothing stayed that was to be removed."),
            .init("findings", .array(.text()), "What was found out, a sentence each."),
            .init(
                "leftovers",
                .array(
                    .record(
                        [
                            .init("name", .text(), "What it was to become."),
                            .init(
                                "state", .choice(["there", "own", "deletedSoon", "removed", "failed"]),
                                "own is of an upload in the queue; deletedSoon is of one that was just removed, which the running engine deletes; failed is there in spite of --remove-leftovers."
                            ),
                        ],
                        maybe: [
                            .init("size", .whole(0...Int.max), "Bytes that the server holds of it."),
                            .init("begun", .moment, "When it was begun, as the server says."),
                            .init("changed", .moment, "When it was last written to, as the server says."),
                            .init("givenUp", .moment, "When it was taken out of the queue of this machine."),
                            .init("error", .text(), "Why it is still there."),
                        ])), "Unfinished uploads at the server."),
        ],
        maybe: [
            .init("because", .text(), "Why this protocol."),
            .init("error", .text(), "What is wrong, in a sentence."),
            .init("hint", .text(), "What to do about it."),
            .init("status", .whole(100...999), "The status of the answer (HTTP)."),
            .init("asked", .moment, "When the server was last asked what it offers."),
            .init("extensions", .array(.text()), "Of its protocol, by the names that the server gives them."),
            .init("maximumSize", .whole(0...Int.max), "Bytes of the largest file that it takes."),
            .init("resumes", .flag, "Whether an upload resumes after a crash."),
            .init("parallel", .flag, "Whether one upload has several requests at once."),
            .init("checksums", .array(.choice(DigestAlgorithm.self)), "What `checksum` may be there."),
            .init("ifExists", .array(.choice(ExistingFilePolicy.self)), "What `ifExists` may be there."),
        ])
}
