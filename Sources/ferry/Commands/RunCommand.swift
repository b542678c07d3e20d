import ArgumentParser
import FerryUploads

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Upload without a screen.",
        discussion: """
            Runs until it is interrupted, or with --exit-when-idle until nothing is left to do. With --detach it runs in \
            the background: `ferry` opens a screen on it, `ferry status` shows its state, `ferry stop` stops it.

              ferry run --exit-when-idle
              ferry run --detach
              ferry run --watch ~/out --to films
            """)

    @OptionGroup var watching: WatchOptions
    @Flag(help: "End when everything is done, failed, held or paused.") var exitWhenIdle = false
    @Flag(help: "Run in the background; returns when the engine answers.") var detach = false

    @Option(
        help: ArgumentHelp(
            "What to do if a request went out whole, got no response, and the server cannot be asked: retry, hold or fail.",
            discussion: "The default is the configuration's retry.onUncertain, otherwise hold.",
            valueName: "choice"),
        completion: .list(QueueRetryPolicy.OnUncertain.allCases.map(\.rawValue)),
        transform: { try choice($0) { "'\($0)' is not one of \($1)." } })
    var onUncertain: QueueRetryPolicy.OnUncertain?
    @Flag(help: "ASCII signs only.") var ascii = false
    @Flag(help: "One JSON object a line, for programs.") var json = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try require(
            !detach || !json, "Give --detach or --json, not both: a background engine prints no lines.")
    }

    func run() async throws {
        try watching.check()
        if detach { return print(try await startInBackground()) }
        let assembly = try global.assembly { [onUncertain, watch = watching.settings] configuration in
            if let onUncertain { configuration.retry.onUncertain = onUncertain }
            configuration.watch += watch
        }
        let watches = try assembly.watches()
        BackgroundEngine.limitLog(in: assembly.state)
        let signals = SignalStream([Signal.interrupt, Signal.terminate, Signal.hangUp])
        let engine = try await Engine.start(assembly, monitor: assembly.linkMonitor(), watches: watches)
        try await HeadlessRun(engine: engine, isJSON: json, endsWhenIdle: exitWhenIdle, isASCII: ascii).run(
            until: signals)
    }

    /// Starts an engine in the background, unless one runs already, and returns a message for the user. First checks
    /// the configuration, because the new engine has no terminal to print errors on.
    private func startInBackground() async throws -> String {
        _ = try global.assembly { [watch = watching.settings] in $0.watch += watch }.watches()
        if let process = ControlClient(folder: global.stateFolder).process {
            let text = "an engine has the queue already (process \(process))"
            guard !watching.folders.isEmpty else { return text }
            throw CommandFailure(
                inUse: text + ": it watches only its own folders",
                hint: "name the folder in `watch` of the configuration, and start the engine again")
        }
        var more = exitWhenIdle ? ["--exit-when-idle"] : []
        if let onUncertain { more += ["--on-uncertain", onUncertain.rawValue] }
        return try await BackgroundEngine(global, more: more + watching.arguments).startAndReport()
    }
}
