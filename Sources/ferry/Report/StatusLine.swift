import FerryProtocols
import FerryUploads

/// The line of `ferry status --json`.
struct StatusLine: OutputLine {
    let report: EngineReport?

    private var status: EngineStatus? { report?.status }

    /// The estimated rate and remaining time of all uploads together; nil if no upload runs.
    private var estimate: TransferEstimate? { report.flatMap { $0.counts.running > 0 ? $0.estimate : nil } }

    private var network: (name: String, reason: String?)? {
        switch status?.network {
        case nil: nil
        case .online?: ("online", nil)
        case .offline(_, let reason)?: ("offline", reason)
        }
    }

    static let events: KeyValuePairs = ["status": "The state of the running engine."]
    static let members: LineMembers<Self> = [
        .always("running", "Whether an engine runs. Without one, the other members are absent.") {
            $0.report != nil
        },
        .maybe("version", "The version of Ferry.") { $0.report.map { _ in FerryVersion.current } },
        .maybe("process", "The process ID of the engine.", as: .positive, \.report?.process),
        .maybe("since", "The time when the engine started.", \.report?.since),
        .maybe("screens", "The number of attached screens.", \.report?.screens),
        .maybe(
            "network", "Whether uploads that need the network may run.", as: .choice(["online", "offline"]),
            \.network?.name),
        .maybe("reason", "The reason why there is no network.", \.network?.reason),
        .maybe("uploads", "The number of uploads by state, and the bytes left to send.", \.report?.counts),
        .maybe(
            "rate", "The current rate of all uploads together, in bytes per second.", \.estimate?.wholeRate),
        .maybe("eta", "The estimated seconds until the bytes in `bytesLeft` are sent.", \.estimate?.eta),
        .maybe(
            "concurrency",
            "The number of slots. A slot runs one upload, or several small ones: 4 slots can run up to 256.",
            as: .positive, \.status?.concurrency),
        .maybe(
            "bandwidth", "The limit of all uploads together, in bytes per second; absent without a limit.",
            \.status?.totalLimit.bandwidth.rate),
        .maybe("bandwidthUntil", "The time when a timetable changes that limit.", \.status?.totalLimit.until),
        .maybe(
            "limits", "The limits of destinations and batches.", as: .array(LimitLine.schema, atLeast: 1)
        ) {
            $0.status?.limits.filter { $0.scope != .total && $0.bandwidth != .unlimited }
                .map(LimitLine.init).ifAny
        },
        .maybe("notice", "A notice about the whole queue, such as a full disk.", \.status?.notice?.summary),
        .maybe(
            "slow", "The busy servers that asked for a pause.",
            as: .array(RetryAfterPauseLine.schema, atLeast: 1)
        ) { $0.status?.retryAfterPauses.map(RetryAfterPauseLine.init).ifAny },
        .maybe(
            "away", "The unreachable hosts.", as: .array(UnreachableHostLine.schema, atLeast: 1)
        ) { $0.status?.unreachableHosts.map(UnreachableHostLine.init).ifAny },
        .maybe(
            "watched", "The watched folders.", as: .array(EngineReport.Watched.schema, atLeast: 1),
            \.report?.watched),
    ]
}

extension Array {
    /// The array itself; nil if it is empty. A member of a JSON line is absent if its value is nil.
    fileprivate var ifAny: Self? { isEmpty ? nil : self }
}

extension EngineReport.Counts: LineObject {
    private static let purpose = "The number of uploads in this state."

    static let members: LineMembers<Self> = [
        .always("queued", purpose, \.queued), .always("running", purpose, \.running),
        .always("waiting", purpose, \.waiting), .always("paused", purpose, \.paused),
        .always("held", purpose, \.held), .always("done", purpose, \.done),
        .always("failed", purpose, \.failed),
        .always(
            "bytesLeft", "The unsent bytes of uploads that need no command and have no start time.",
            \.bytesLeft),
        .always("bytesLater", "The unsent bytes of uploads with a start time.", \.bytesLater),
        .maybe("offline", "The number of paused uploads that wait only for the network.", \.offline),
    ]
}

extension EngineReport.Watched: LineObject {
    static let members: LineMembers<Self> = [
        .always("folder", "The path of the folder.", \.folder),
        .always("to", "The name of the destination, or its URL without a query.", \.to),
        .always("there", "Whether the folder exists.", \.there),
        .always(
            "settle", "How many seconds a file must be unchanged.", as: .number(WatchSettings.settleRange),
            \.settle),
        .always(
            "after", "The treatment of a file after its upload.", as: .choice(["keep", "delete", "move"]),
            \.after),
        .always("settling", "The number of files that changed too recently.", \.settling),
        .always(
            "inUse", "The number of files that a program has open for writing, or that cannot be read.",
            \.inUse),
        .maybe("goal", "The folder to which the file is moved.", \.goal),
    ]
}
