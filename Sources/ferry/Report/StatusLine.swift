import FerryFiles
import FerryProtocols
import FerryUploads

/// The line of `ferry status --json`.
struct StatusLine: OutputLine {
    /// The report of the running engine; nil if none runs.
    let report: EngineReport?

    private var status: EngineStatus? { report?.status }

    /// The estimated rate and remaining time of all uploads together; nil while no upload runs.
    private var estimate: TransferEstimate? {
        report.flatMap { $0.counts.running > 0 ? $0.estimate : nil }
    }

    private var network: (name: String, reason: String?)? {
        switch status?.network {
        case nil: nil
        case .online?: ("online", nil)
        case .offline(_, let reason)?: ("offline", reason)
        }
    }

    static let events: KeyValuePairs = ["status": "How the ferry is that runs."]
    static let members: [LineMember<Self>] = [
        .always("running", "Whether an engine runs; without one, no other member is there.") {
            $0.report != nil
        },
        .maybe("version", "Of Ferry.") { $0.report.map { _ in FerryVersion.current } },
        .maybe("process", "The number of its process.", as: .whole(1...Int.max), \.report?.process),
        .maybe("since", "When it was started.", \.report?.since),
        .maybe("screens", "Screens that are attached.", \.report?.screens),
        .maybe(
            "network", "Whether uploads that need it may run.", as: .choice(["online", "offline"]),
            \.network?.name),
        .maybe("reason", "Why there is no network.", \.network?.reason),
        .maybe("uploads", "How many there are by state, and what is left to send.", \.report?.counts),
        .maybe("rate", "Bytes per second of all uploads together, now.", \.estimate?.wholeRate),
        .maybe("eta", "Seconds until all that is due is sent, as it goes now.", \.estimate?.eta),
        .maybe(
            "concurrency", "Uploads that may run at once.", as: .whole(1...Int.max), \.status?.concurrency),
        .maybe(
            "bandwidth", "Bytes per second over all uploads; absent without a limit.",
            \.status?.totalLimit.bandwidth.rate),
        .maybe("bandwidthUntil", "When a timetable says otherwise.", \.status?.totalLimit.until),
        .maybe(
            "limits", "Limits of destinations and batches.", as: .array(LimitLine.schema, atLeast: 1)
        ) {
            $0.status?.limits.filter { $0.scope != .total && $0.bandwidth != .unlimited }
                .map(LimitLine.init).ifAny
        },
        .maybe("notice", "What a person should know of the whole queue.", \.status?.notice?.summary),
        .maybe(
            "slow", "Servers that ask to be left alone.", as: .array(RetryAfterPauseLine.schema, atLeast: 1)
        ) { $0.status?.retryAfterPauses.map(RetryAfterPauseLine.init).ifAny },
        .maybe(
            "away", "Hosts that do not answer.", as: .array(UnreachableHostLine.schema, atLeast: 1)
        ) { $0.status?.unreachableHosts.map(UnreachableHostLine.init).ifAny },
        .maybe(
            "watched", "Folders that are watched.", as: .array(EngineReport.Watched.schema, atLeast: 1),
            \.report?.watched),
    ]
}

extension Array {
    /// The array; nil if it is empty. The JSON line then lacks the member.
    fileprivate var ifAny: Self? { isEmpty ? nil : self }
}

extension EngineReport.Counts: LineValue {
    static let schema = Schema.record(
        UploadRecordLine.states.map { .init($0, Int.schema, "How many.") } + [
            .init(
                "bytesLeft", Int.schema,
                "Bytes not sent yet of uploads that need no command and wait for no time."),
            .init("bytesLater", Int.schema, "Bytes of those that are not to start before a time."),
        ], maybe: [.init("offline", Int.schema, "Of the paused: those that wait for the network.")])
}

extension EngineReport.Watched: LineValue {
    static let schema = Schema.record(
        [
            .init("folder", .text(), "Its path."),
            .init("to", .text(), "A destination's name, or an address."),
            .init("there", .flag, "Whether it is there."),
            .init(
                "settle", .number(WatchSettings.settleRange), "Seconds for which a file must not change."),
            .init("after", .choice(["keep", "delete", "move"]), "What to do with an uploaded file."),
            .init("settling", Int.schema, "Files that have not kept still for long enough."),
            .init("inUse", Int.schema, "Files that a program writes to, or that cannot be read."),
        ], maybe: [.init("goal", .text(), "The folder that it is moved into.")])
}
