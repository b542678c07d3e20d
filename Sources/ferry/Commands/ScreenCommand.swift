import ArgumentParser
import Foundation
import TUI
import Transfer
import UploadProtocols
import Uploads

struct ScreenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen", abstract: "Open the screen (the default). Uploads run while it is open.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var look: ScreenOptions

    func run() async throws {
        let assembly = try global.assembly()
        let theme = try look.theme(assembly.configuration)
        let engine: Engine
        do throws(JournalError) {
            engine = try await Engine.start(
                assembly, state: global.stateFolder, monitor: assembly.linkMonitor(state: global.stateFolder))
        } catch {
            var failure = CommandFailure(error)
            if case .inUse = error {
                failure.hint = "`ferry list`, `add`, `pause` and the others reach it from here"
            }
            throw failure
        }
        for notice in engine.notices { StandardError.write("\(notice.line)\n") }
        try await ScreenSession(engine: engine, assembly: assembly, look: look, theme: theme).run()
    }
}

/// A screen over an engine, from opening it to the words left on the normal screen afterwards.
struct ScreenSession {
    let engine: Engine
    let assembly: Assembly
    let look: ScreenOptions
    let theme: Theme
    private let output = LineOutput()

    /// Stops the engine when the screen has closed.
    func run() async throws {
        let outcome: ScreenOutcome
        do throws(ScreenError) {
            outcome = try await outcomeOfInterface()
        } catch {
            await engine.stop()
            throw CommandFailure(status: CommandFailure.usage, summary: "\(error)")
        }
        if outcome == .hangUp, look.onHangUp == .continue {
            HangUpLog(folder: assembly.state).takeOver()
            let run = UnattendedRun(engine: engine, isJSON: false, endsWhenIdle: true)
            return try await run.run(until: SignalStream([SIGINT, SIGTERM]))
        }
        let (uploads, retired) = await engine.queue.everything
        await engine.stop()
        await output.flush()
        switch outcome {
        case .hangUp: throw ExitCode(128 + SIGHUP)
        case .signal(let number): throw ExitCode(number == SIGINT ? CommandFailure.interrupted : 128 + number)
        case .quit, .quitWhenIdle: break
        }
        let summary = LeavingSummary(uploads, retired)
        if let text = summary.text { output.write(text) }
        await output.flush()
        if let unsaved = await engine.unsaved { throw unsaved }
        if summary.hasFailures { throw ExitCode(1) }
    }

    /// The screen, or lines where they are asked for or are all that is possible.
    private func outcomeOfInterface() async throws(ScreenError) -> ScreenOutcome {
        guard !look.asksForLines() else { return await outcomeOfLines(because: nil) }
        do throws(ScreenError) { return try await screen.run() } catch {
            switch error {
            case .notATerminal, .unusableTerminal: return await outcomeOfLines(because: "\(error)")
            case .system: throw error
            }
        }
    }

    private func outcomeOfLines(because reason: String?) async -> ScreenOutcome {
        let signals = SignalStream([SIGINT, SIGTERM, SIGHUP])
        let queue = engine.queue
        let lines = PlainScreen(
            client: queue, add: adding,
            configuration: PlainScreen.Configuration(
                destinations: assembly.destinations.map(\.name),
                defaultDestination: assembly.configuration.defaultDestination, reason: reason),
            print: { [output] in output.write($0) }, waitUntilIdle: { await queue.waitUntilIdle() })
        // Not ended with the lines: it holds for the stopping of the engine too.
        Task {
            var hasAsked = false
            for await signal in signals.values {
                if signal == SIGHUP, look.onHangUp == .continue { return lines.end(by: signal) }
                // Whoever asks twice does not want to wait for anything.
                if hasAsked { _exit(128 + signal) }
                hasAsked = true
                lines.end(by: signal)
            }
        }
        return await lines.run()
    }

    private var adding: AddService { ScreenAdding(assembly: assembly, queue: engine.queue).service }

    private var screen: Screen {
        let appearance = assembly.configuration.appearance
        return Screen(
            client: engine.queue, add: adding,
            configuration: Screen.Configuration(
                glyphs: look.ascii ? .ascii : appearance.glyphs,
                colour: look.noColour ? .never : look.colour ?? appearance.colour,
                theme: theme, graph: appearance.graph.style, actions: assembly.configuration.actions,
                mouse: appearance.mouse,
                isSlow: look.slow || appearance.isSlow,
                destinations: assembly.destinations.map(\.name),
                defaultDestination: assembly.configuration.defaultDestination))
    }
}

/// One to three lines on the normal screen: what is done, what is left, how to go on.
struct LeavingSummary {
    let text: String?
    let hasFailures: Bool

    init(_ uploads: [Upload], _ retired: UploadQueue.Retired = UploadQueue.Retired()) {
        var (done, bytes, unfinished, failed) = (retired.count, retired.bytes, 0, 0)
        for upload in uploads {
            switch upload.state {
            case .done:
                done += 1
                bytes = bytes.addingReportingOverflow(upload.size).overflow ? .max : bytes + upload.size
            case .queued, .running, .waiting, .paused: unfinished += 1
            case .held, .failed: failed += 1
            }
        }
        hasFailures = failed > 0
        var lines: [String] = []
        if done > 0 { lines.append("\(done) uploaded (\(ByteFormat.sentence(bytes)))") }
        if unfinished > 0 { lines.append("\(unfinished) not finished; `ferry` goes on with them") }
        if failed > 0 { lines.append("\(failed) failed or held; `ferry list` says why") }
        text = lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
