import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the running engine.",
        discussion: """
            Exit status: 0 if an engine runs, 3 if none does.

              ferry status
              ferry status --json
            """)

    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try global.checkFolder()
        let client = ControlClient(folder: global.stateFolder)
        try client.checkPulse()
        switch client.ask(.report) {
        case .responded(.report(let report)):
            print(json ? StatusLine(report: report).json : StatusText.lines(report))
        case .otherVersion(let failure): throw CommandFailure(inUse: failure)
        case .responded(.reply(.refused(let failure))): throw CommandFailure(refused: failure)
        case .unknown, .responded: throw client.silence
        case .noEngine:
            let text = "no engine is running; `ferry` or `ferry run` starts one"
            print(json ? StatusLine(report: nil).json : text)
            throw ExitCode(CommandFailure.nothingRuns)
        }
    }
}

enum StatusText {
    static func lines(_ report: EngineReport) -> String {
        let status = report.status
        var lines = [
            ("ferry", "runs since \(report.since.shortMoment) (process \(report.process))\(screens(report))"),
            ("network", network(status.network)), ("uploads", uploads(report)), ("limits", limits(status)),
        ]
        if let notice = status.notice {
            lines.append(("notice", [notice.summary, notice.hint].compactMap { $0 }.joined(separator: "; ")))
        }
        lines += status.retryAfterPauses.map { ("slow", StatusChange.asked($0).sentence(in: .local)) }
        lines += status.unreachableHosts.map { ("away", "\($0.host) \($0.reason); \($0.waiting) waiting") }
        lines += (report.watched ?? []).map { ("watches", text($0)) }
        return lines.map { UploadText.padded($0, 9) + SafeLine.text($1) }.joined(separator: "\n")
    }

    private static func text(_ watched: EngineReport.Watched) -> String {
        let parts = [
            watched.there ? nil : "not there",
            watched.settling > 0 ? "\(watched.settling) still changing" : nil,
            watched.inUse > 0 ? "\(watched.inUse) in use" : nil,
        ].compactMap { $0 }
        let treatment = ConfigurationText.treatment(
            settle: watched.settle, after: watched.after, goal: watched.goal)
        return (["\(watched.folder), to \(watched.to)"] + treatment).joined(separator: ", ")
            + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
    }

    private static func screens(_ report: EngineReport) -> String {
        report.screens == 0 ? "" : ", \(report.screens) screen\(report.screens == 1 ? "" : "s") attached"
    }

    private static func network(_ network: EngineStatus.Network) -> String {
        switch network {
        case .online: "online"
        case .offline(let date, let reason): "offline since \(date.shortMoment): \(reason)"
        }
    }

    private static func uploads(_ report: EngineReport) -> String {
        let counts = report.counts
        let parts = [
            (counts.running, "running"), (counts.queued, "queued"), (counts.waiting, "waiting to retry"),
            (counts.paused - (counts.offline ?? 0), "paused"),
            (counts.offline ?? 0, "waiting for the network"), (counts.held, "held"),
            (counts.failed, "failed"), (counts.done, "done"),
        ].filter { $0.0 > 0 }.map { "\($0) \($1)" }
        guard !parts.isEmpty else { return "none" }
        let left = [(counts.bytesLeft, "left"), (counts.bytesLater, "later")].filter { $0.0 > 0 }
            .map { "\(ByteFormat.sentence($0.0)) \($0.1)" }
        return ([parts.joined(separator: ", ")] + left + speed(report)).joined(separator: "; ")
    }

    /// Returns the rate, such as `4.1 MiB/s`, and the remaining time, such as `ETA 12:31`, as far as they are known.
    private static func speed(_ report: EngineReport) -> [String] {
        guard report.counts.running > 0, let estimate = report.estimate else { return [] }
        return [
            estimate.rate.map { ByteFormat.rate($0) },
            estimate.remaining.map { "ETA \(Strings.remaining($0))" },
        ].compactMap { $0 }
    }

    private static func limits(_ status: EngineStatus) -> String {
        let limited = status.limits.filter { $0.bandwidth != .unlimited }.map { limit in
            let text = limit.text(at: Date(), in: .local)
            return limit.scope == .total ? text : "\(limit.scope.text) \(text)"
        }
        let bandwidth = limited.isEmpty ? "no limit of bandwidth" : limited.joined(separator: ", ")
        return "\(status.concurrency) at once, \(bandwidth)"
    }
}
