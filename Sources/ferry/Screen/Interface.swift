import FerryTUI
import FerryUploads
import Foundation

/// The screen over a queue, or lines where they are asked for or are all that is possible.
struct Interface {
    let client: any QueueClient
    let assembly: Assembly
    /// The same by the configuration that holds now.
    let currentAssembly: @Sendable () -> Assembly
    let look: ScreenOptions
    let theme: Theme
    let tie: EngineTie
    let output: LineOutput
    /// Returns when nothing runs in the queue and nothing will by itself.
    let waitUntilIdle: @Sendable () async -> Void
    /// Starts another engine in the place of one that is gone.
    var startEngine: (@Sendable () async -> QueueReply)?

    /// Returns when the person or the system has ended it.
    func run() async throws(ScreenError) -> ScreenOutcome {
        guard !look.asksForLines() else { return await runLines(because: nil) }
        do throws(ScreenError) { return try await screen.run() } catch {
            switch error {
            case .notATerminal, .unusableTerminal: return await runLines(because: "\(error)")
            case .system: throw error
            }
        }
    }

    private func runLines(because reason: String?) async -> ScreenOutcome {
        let signals = SignalStream([SIGINT, SIGTERM, SIGHUP])
        let lines = PlainScreen(
            client: client, add: adding,
            configuration: PlainScreen.Configuration(
                destinations: assembly.destinations.map(\.name),
                defaultDestination: assembly.configuration.defaultDestination, tie: tie, reason: reason),
            print: { [output] in output.write($0) }, waitUntilIdle: waitUntilIdle)
        let goesOn = look.onHangUp(assembly.configuration) == .continue
        // Not ended with the lines: it holds for the stopping of the engine too.
        Task {
            var hasAsked = false
            for await signal in signals.values {
                if signal == SIGHUP, goesOn { return lines.end(by: signal) }
                // Whoever asks twice does not want to wait for anything.
                if hasAsked { _exit(128 + signal) }
                hasAsked = true
                lines.end(by: signal)
            }
        }
        return await lines.run()
    }

    private var adding: AddService { ScreenAdding(assembly: currentAssembly, queue: client).service }

    private var screen: Screen {
        let appearance = assembly.configuration.appearance
        return Screen(
            client: client, add: adding,
            configuration: Screen.Configuration(
                glyphs: look.ascii ? .ascii : appearance.glyphs,
                colour: look.noColour ? .never : look.colour ?? appearance.colour,
                theme: theme, graph: appearance.graph.style, actions: assembly.configuration.actions,
                mouse: appearance.mouse, call: assembly.configuration.notify.call,
                isSlow: look.slow || appearance.isSlow,
                destinations: assembly.destinations.map(\.name),
                defaultDestination: assembly.configuration.defaultDestination, tie: tie),
            startEngine: startEngine)
    }
}
