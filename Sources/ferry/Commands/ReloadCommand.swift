import ArgumentParser
import FerryProtocols
import FerryTransfer
import FerryUploads

struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Make the engine read its configuration again.",
        discussion: """
            The engine reads the file that it was started with. Destinations, limits, retry, whenFileChanges, timeouts and proxy \
            take effect for new attempts; running ones end as they began. The output names what takes effect at the \
            next start. If the file has a mistake, nothing changes.

            Exit status: 0 if it was read, 2 if there is a mistake in it, 3 if no engine runs.
            """)

    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let report = try EngineReload(folder: global.stateFolder).reload()
        guard let report else {
            throw CommandFailure(
                status: CommandFailure.nothingRuns, summary: "no engine is running",
                hint: "`ferry` and `ferry run` read the configuration when they start")
        }
        if json { return print(JSONLine.text(ReloadLine(report))) }
        for line in report.lines { print(SafeLine.text(line)) }
        for warning in report.warnings {
            StandardError.write("\(Notice(kind: .warning, text: warning).line)\n")
        }
    }
}

/// Makes a running engine read its configuration again.
struct EngineReload {
    let folder: LocalPath

    /// - Returns: The report; nil if no engine runs.
    /// - Throws: `CommandFailure` for an invalid configuration, or if the engine does not respond.
    func reload() throws(CommandFailure) -> ReloadReport? {
        switch ControlClient(folder: folder).ask(.reload) {
        case .answered(.reloaded(let report)): return report
        case .answered(.reply(.refused(let failure))): throw CommandFailure(usage: failure)
        case .otherVersion(let failure):
            throw CommandFailure(
                status: CommandFailure.queueInUse, summary: failure.summary, hint: failure.hint)
        case .answered, .unknown:
            throw CommandFailure(
                status: CommandFailure.queueInUse, summary: "the running engine did not answer",
                hint: "try `ferry reload` again")
        case .nobody: return nil
        }
    }
}

/// The line of `ferry reload --json`.
struct ReloadLine: OutputLine {
    var event = "reload"
    var file: String
    var added: [String]
    var changed: [String]
    var removed: [String]
    var now: [String]
    var atNextStart: [String]
    var retry: [Upload.ID]
    var warnings: [String]

    init(_ report: ReloadReport) {
        (file, retry, warnings) = (report.file, report.retry, report.warnings)
        let changes = report.changes
        (added, changed, removed) = (changes.added, changes.changed, changes.removed)
        (now, atNextStart) = (changes.now, changes.atNextStart)
    }

    static let schema = LineSchema(
        [.init("reload", "The running engine has read its configuration again.")],
        always: [
            .init("file", .text(), "What it read."),
            .init("added", .array(.text()), "Destinations that it did not know."),
            .init("changed", .array(.text()), "Destinations that are another way now."),
            .init("removed", .array(.text()), "Destinations that it does not know any more."),
            .init("now", .array(.text()), "Keys of what else holds from now on."),
            .init("atNextStart", .array(.text()), "Keys of what the next start takes up."),
            .init(
                "retry", .array(.whole(1...Int.max)),
                "Uploads that stopped for lack of a destination or credentials and may resume now."),
            .init("warnings", .array(.text()), "What is new in it and may do harm."),
        ])
}
