import ArgumentParser
import FerryProtocols
import FerryUploads
import Foundation

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Upload without a screen.",
        discussion: """
            Runs until it is interrupted, or with --exit-when-idle until nothing is left to do. With --detach it does so in \
            the background: `ferry` opens a screen on it, `ferry status` tells how it is, `ferry stop` ends it.

              ferry run --exit-when-idle
              ferry run --detach
              ferry run --watch ~/out --to films
            """)

    @OptionGroup var watching: WatchOptions
    @Flag(help: "One JSON object a line, for programs.") var json = false
    @Flag(help: "End when everything is done, failed, held or paused.") var exitWhenIdle = false
    @Flag(help: "In the background, without a terminal; returns when it answers.") var detach = false

    @Option(
        help: ArgumentHelp(
            "What becomes of an upload that went out whole and got no answer, if its protocol cannot ask the server: retry, hold or fail.",
            discussion: "As retry.onUncertain of the configuration, which is hold if it says nothing.",
            valueName: "choice"),
        completion: .list(QueueRetryPolicy.OnUncertain.allCases.map(\.rawValue)), transform: Self.onUncertain)
    var onUncertain: QueueRetryPolicy.OnUncertain?
    @Flag(help: "ASCII signs only.") var ascii = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard !detach || !json else {
            throw ValidationError("Give --detach or --json, not both: nobody would read the lines.")
        }
    }

    func run() async throws {
        try watching.check()
        if detach { return print(try await startInBackground()) }
        let assembly = try global.assembly { [onUncertain, watch = watching.settings] configuration in
            if let onUncertain { configuration.retry.onUncertain = onUncertain }
            configuration.watch += watch
        }
        let watches = try assembly.checkedWatches()
        let signals = SignalStream([SIGINT, SIGTERM, SIGHUP])
        let engine: Engine
        do throws(JournalError) {
            engine = try await Engine.start(
                assembly, state: global.stateFolder, monitor: assembly.linkMonitor(state: global.stateFolder),
                watches: watches)
        } catch {
            throw CommandFailure(error)
        }
        try await UnattendedRun(engine: engine, isJSON: json, endsWhenIdle: exitWhenIdle, isASCII: ascii).run(
            until: signals)
    }

    /// A mistake in the configuration is told before anything starts.
    private func startInBackground() async throws(CommandFailure) -> String {
        _ = try global.assembly { [watch = watching.settings] in $0.watch += watch }.checkedWatches()
        let client = ControlClient(folder: global.stateFolder)
        if let process = client.process, !watching.folders.isEmpty {
            throw CommandFailure(
                status: CommandFailure.queueInUse,
                summary: "a ferry has the queue already (process \(process)): it watches what it knows of",
                hint: "name the folder in `watch` of the configuration, and start ferry again")
        }
        if let process = client.process { return "A ferry has the queue already (process \(process))." }
        var more = exitWhenIdle ? ["--exit-when-idle"] : []
        if let onUncertain { more += ["--on-uncertain", onUncertain.rawValue] }
        return try await BackgroundEngine(global, more: more + watching.arguments).startInPlace()
    }

    private static func onUncertain(_ text: String) throws -> QueueRetryPolicy.OnUncertain {
        guard let choice = QueueRetryPolicy.OnUncertain(rawValue: text) else {
            let names = QueueRetryPolicy.OnUncertain.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(text)' is none of \(names).")
        }
        return choice
    }
}
