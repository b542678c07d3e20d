import FerryTUI
import FerryUploads

/// Shows a queue on the full-screen interface (`Screen`), or as plain lines if the user or the terminal needs them.
struct Interface {
    let client: any QueueClient
    let assembly: Assembly
    /// Returns the assembly with the current configuration. The call may read a file.
    let currentAssembly: @Sendable () -> Assembly
    let look: ScreenOptions
    let theme: Theme
    let ownership: EngineOwnership
    let output: LineOutput
    /// Waits until no upload runs and no upload will start without a command of the user.
    let waitUntilIdle: @Sendable () async -> Void
    /// Starts another engine after the engine in another process has ended. Nil if the engine runs in this process.
    var startEngine: (@Sendable () async -> QueueReply)?

    func run() async throws(ScreenError) -> ScreenOutcome {
        guard !look.asksForLines else { return await runLines(because: nil) }
        do throws(ScreenError) { return try await screen.run() } catch {
            switch error {
            case .notATerminal, .unusableTerminal: return await runLines(because: "\(error)")
            case .system: throw error
            }
        }
    }

    private func runLines(because reason: String?) async -> ScreenOutcome {
        let signals = SignalStream([Signal.interrupt, Signal.terminate, Signal.hangUp])
        var screen = PlainScreen(
            client: client, add: adding, print: { [output] in output.write($0) },
            waitUntilIdle: waitUntilIdle)
        screen.destinations = destinations
        (screen.ownership, screen.reason) = (ownership, reason)
        let lines = screen
        let goesOn = look.onHangUp(assembly.configuration) == .continue
        // This task continues after the function has returned, because signals may also arrive while the engine stops.
        Task {
            var hasAsked = false
            for await signal in signals.values {
                if signal == Signal.hangUp, goesOn { return lines.end(by: signal) }
                // A user who presses Ctrl-C twice does not want to wait.
                if hasAsked { Signal.exitNow(by: signal) }
                hasAsked = true
                lines.end(by: signal)
            }
        }
        return await lines.run()
    }

    private var destinations: DestinationNames {
        DestinationNames(
            assembly.destinations.map(\.name), preferred: assembly.configuration.defaultDestination)
    }

    private var adding: ScreenAdding {
        ScreenAdding(assembly: currentAssembly, queue: client, state: assembly.state)
    }

    private var screen: Screen {
        let appearance = assembly.configuration.appearance
        var configuration = Screen.Configuration()
        configuration.glyphs = look.ascii ? .ascii : appearance.glyphs
        configuration.colour = look.noColour ? .never : look.colour ?? appearance.colour
        configuration.theme = theme
        configuration.graph = appearance.graph.style
        configuration.actions = assembly.configuration.actions
        configuration.mouse = appearance.mouse
        configuration.notification = assembly.configuration.notify.notification
        configuration.isSlow = look.slow || appearance.isSlow
        configuration.destinations = destinations
        configuration.ownership = ownership
        return Screen(client: client, add: adding, configuration: configuration, startEngine: startEngine)
    }
}
