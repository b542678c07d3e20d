import FerryFiles
import FerryUploads

/// The JSON line about a change of the network, in `ferry run --json` and for hooks.
struct NetworkLine: OutputLine {
    let event: String
    var reason: String?

    static let events: KeyValuePairs = [
        "offline": "There is no network.", "online": "The network is back.",
    ]
    static let members: [LineMember<Self>] = [
        .maybe("reason", "Of offline: why there is none.", \.reason)
    ]
}

/// The JSON line that tells whether the queue can save its changes to disk, in `ferry run --json` and for hooks.
struct StorageLine: OutputLine {
    let event: String
    let text: String
    var hint: String?

    static let events: KeyValuePairs = [
        "notSaved": "The disk refuses what changes, and nothing new starts.",
        "snapshotFailed": "All is saved, but the journal grows.", "saved": "All is saved.",
    ]
    static let members: [LineMember<Self>] = [
        .always("text", "A sentence.", \.text), .maybe("hint", "What to do about it.", \.hint),
    ]
}

struct NoticeLine: OutputLine {
    let notice: Notice

    var event: String { notice.kind.rawValue }

    static let events: KeyValuePairs = [
        "note": "Something that a person should know.",
        "warning": "Something that the configuration allows and that may do harm.",
    ]
    static let members: [LineMember<Self>] = [.always("text", "A sentence.", \.notice.text)]
}

/// The JSON line with the number of uploads in each state, at the end of `ferry run --json` and for hooks.
struct CountsLine: OutputLine {
    let event: String
    let counts: [String: Int]

    static let events: KeyValuePairs = [
        "summary": "The run is over.",
        "idle": "Nothing runs and nothing will by itself: what ended since the last idle.",
    ]
    static let members: [LineMember<Self>] = [
        .always("counts", "Uploads by state; one that there is none of is left out.", \.counts)
    ]
}

/// The JSON object about a server that requested a pause with Retry-After.
struct RetryAfterPauseLine: OutputLine {
    let pause: RetryAfterPause

    static let events: KeyValuePairs = ["slow": "A server asks to be left alone."]
    static let members: [LineMember<Self>] = [
        .always("host", "Which server.", \.pause.host),
        .always("status", "The status of its answer (HTTP).", as: .whole(100...999), \.pause.status),
        .always("until", "Until when it is left alone.", \.pause.until),
        .always("waiting", "Uploads that wait for it.", \.pause.waiting),
    ]
}

/// The JSON object about an unreachable host, in `ferry status --json`.
struct UnreachableHostLine: LineObject {
    let host: UnreachableHost

    static let members: [LineMember<Self>] = [
        .always("host", "Its name.", \.host.host),
        .always("reason", "What is wrong with it, behind its name in a sentence.", \.host.reason),
        .always("waiting", "Uploads that wait for it.", \.host.waiting),
    ]
}

/// The JSON line about a bandwidth limit. Other lines contain it as an object.
struct LimitLine: OutputLine {
    let limit: BandwidthLimit

    private static let nothing = "nothing"

    private var origin: String {
        let isSaid = limit.origin != .configuration || limit.bandwidth.rate != nil || limit.until != nil
        return isSaid ? limit.origin.rawValue : Self.nothing
    }

    static let events: KeyValuePairs = ["limit": "A limit of the bandwidth."]
    static let members: [LineMember<Self>] = [
        .always(
            "scope", "Whose uploads it is for.", as: .choice(["total", "destination", "batch"]),
            \.limit.scope.kind),
        .always(
            "from", "What it comes from; nothing where there is none and none is to come.",
            as: .choice(["command", "timetable", "configuration", nothing]), \.origin),
        .maybe("name", "Of the destination or the batch.", \.limit.scope.name),
        .maybe("bandwidth", "Bytes per second; absent without a limit.", \.limit.bandwidth.rate),
        .maybe("until", "When a timetable says otherwise.", \.limit.until),
    ]
}

extension LimitScope {
    /// The word for the kind of scope in `--json`.
    var kind: String {
        switch self {
        case .total: "total"
        case .destination: "destination"
        case .batch: "batch"
        }
    }

    /// The name of the destination or the batch; nil for the limit of all uploads.
    var name: String? {
        switch self {
        case .total: nil
        case .destination(let name), .batch(let name): name
        }
    }
}
