import FerryUploads

/// The JSON line about a change of the network, in `ferry run --json` and for hooks.
struct NetworkLine: OutputLine {
    let event: String
    var reason: String?

    static let events: KeyValuePairs = ["offline": "There is no network.", "online": "The network is back."]
    static let members: LineMembers<Self> = [
        .maybe("reason", "The reason why there is no network (`offline` only).", \.reason)
    ]
}

/// The JSON line that tells whether the queue can save its changes to disk, in `ferry run --json` and for hooks.
struct StorageLine: OutputLine {
    let event: String
    let text: String
    var hint: String?

    static let events: KeyValuePairs = [
        "notSaved": "Changes cannot be saved to disk, and no new upload starts.",
        "snapshotFailed": "All changes are saved, but the journal grows.",
        "saved": "All changes are saved again.",
    ]
    static let members: LineMembers<Self> = [
        .always("text", "The message, in a sentence.", \.text),
        .maybe("hint", "The next step for the user.", \.hint),
    ]
}

struct NoticeLine: OutputLine {
    let notice: Notice

    var event: String { notice.kind.rawValue }

    static let events: KeyValuePairs = [
        "note": "A notice for the user.", "warning": "A warning, such as of a setting that may do harm.",
    ]
    static let members: LineMembers<Self> = [.always("text", "The message, in a sentence.", \.notice.text)]
}

/// The JSON line with numbers of uploads by state, at the end of `ferry run --json` and for hooks of `idle`.
struct CountsLine: OutputLine {
    let event: String
    let counts: [String: Int]

    static let events: KeyValuePairs = [
        "summary": "The run has ended.",
        "idle": "No upload runs or will start by itself. `counts` has what ended since the last `idle`.",
    ]
    static let members: LineMembers<Self> = [
        .always("counts", "The number of uploads by state; states without uploads are left out.", \.counts)
    ]
}

/// The JSON line about a server that asked for a pause, and the elements of `slow` in `ferry status --json`.
struct RetryAfterPauseLine: OutputLine {
    let pause: RetryAfterPause

    static let events: KeyValuePairs = ["slow": "A busy server asked for a pause."]
    static let members: LineMembers<Self> = [
        .always("host", "The name of the server's host.", \.pause.host),
        .always("status", "The HTTP status of its response.", as: .whole(100...999), \.pause.status),
        .always("until", "The time when uploads to it resume.", \.pause.until),
        .always("waiting", "The number of uploads that wait for it.", \.pause.waiting),
    ]
}

/// The JSON object about an unreachable host, in `ferry status --json`.
struct UnreachableHostLine: LineObject {
    let host: UnreachableHost

    static let members: LineMembers<Self> = [
        .always("host", "The name of the host.", \.host.host),
        .always("reason", "The error, as the rest of a sentence that begins with the host.", \.host.reason),
        .always("waiting", "The number of uploads that wait for it.", \.host.waiting),
    ]
}

/// The JSON line about a bandwidth limit, and the elements of `limits` in `ferry status --json`.
struct LimitLine: OutputLine {
    let limit: BandwidthLimit

    private static let nothing = "nothing"

    private var origin: String {
        let isSaid = limit.origin != .configuration || limit.bandwidth.rate != nil || limit.until != nil
        return isSaid ? limit.origin.rawValue : Self.nothing
    }

    static let events: KeyValuePairs = ["limit": "A bandwidth limit."]
    static let members: LineMembers<Self> = [
        .always(
            "scope", "The uploads that share the limit.", as: .choice(["total", "destination", "batch"]),
            \.limit.scope.kind),
        .always(
            "from", "Where the limit comes from; `nothing` without a limit now or later.",
            as: .choice(["command", "timetable", "configuration", nothing]), \.origin),
        .maybe("name", "The name of the destination or the batch.", \.limit.scope.name),
        .maybe("bandwidth", "Bytes per second; absent without a limit.", \.limit.bandwidth.rate),
        .maybe("until", "The time when a timetable changes the limit.", \.limit.until),
    ]
}

extension LimitScope {
    /// The name of this kind of scope in `--json` output.
    var kind: String {
        switch self {
        case .total: "total"
        case .destination: "destination"
        case .batch: "batch"
        }
    }

    var name: String? {
        switch self {
        case .total: nil
        case .destination(let name), .batch(let name): name
        }
    }
}
