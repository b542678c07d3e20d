import ArgumentParser
import FerryProtocols
import FerryUploads

struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Make the engine read its configuration again.",
        discussion: """
            The engine reads the file that it was started with. Destinations, limits, retry, whenFileChanges, timeouts and proxy \
            take effect for new attempts; running ones end as they began. The output names what takes effect at the \
            next start. If the file has an error, nothing changes.

            Exit status: 0 if it was read, 2 if there is an error in it, 3 if no engine runs.

              ferry config && ferry reload
            """)

    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard let report = try ControlClient(folder: global.stateFolder).reload() else {
            throw CommandFailure(
                status: CommandFailure.nothingRuns, summary: "no engine is running",
                hint: "`ferry` and `ferry run` read the configuration when they start")
        }
        if json { return print(ReloadLine(report: report).json) }
        for line in report.lines { print(SafeLine.text(line)) }
        for warning in report.warnings { StandardError.warn(warning) }
    }
}

extension ControlClient {
    /// Makes the engine read its configuration again. Returns nil if no engine runs.
    func reload() throws(CommandFailure) -> ReloadReport? {
        try checkPulse()
        switch ask(.reload) {
        case .responded(.reloaded(let report)): return report
        case .responded(.reply(.refused(let failure))): throw CommandFailure(usage: failure)
        case .otherVersion(let failure): throw CommandFailure(inUse: failure)
        case .responded, .unknown:
            throw CommandFailure(inUse: "the running engine did not answer", hint: "try `ferry reload` again")
        case .noEngine: return nil
        }
    }
}

/// The line of `ferry reload --json`.
struct ReloadLine: OutputLine {
    let report: ReloadReport

    static let events: KeyValuePairs = ["reload": "The running engine read its configuration again."]
    static let members: LineMembers<Self> = [
        .always("file", "The path of the configuration file.", \.report.file),
        .always("added", "New destinations.", \.report.changes.added),
        .always("changed", "Changed destinations.", \.report.changes.changed),
        .always("removed", "Removed destinations.", \.report.changes.removed),
        .always("now", "Other keys in effect now.", \.report.changes.now),
        .always(
            "atNextStart", "Other keys that take effect at the next start.", \.report.changes.atNextStart),
        .always(
            "retry", "Uploads that stopped for lack of a destination or credentials and may run now.",
            as: .array(.positive), \.report.retry),
        .always("warnings", "New settings that may do harm.", \.report.warnings),
    ]
}
