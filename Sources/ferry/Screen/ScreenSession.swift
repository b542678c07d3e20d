import ArgumentParser
import FerryTUI
import FerryUploads

/// The policy for uploads when the terminal disappears, because its window is closed or the ssh connection is lost.
enum HangUpPolicy: String, Decodable, CaseIterable {
    case stop
    case `continue`
}

/// A screen with an engine in the same process, and the summary that is printed after the screen has closed.
struct ScreenSession {
    let engine: Engine
    let assembly: Assembly
    let look: ScreenOptions
    let theme: Theme
    /// The engine to start in another process when the user detaches the screen; nil if the screen cannot be detached.
    var background: BackgroundEngine?
    private let output = LineOutput()

    /// Runs the screen and stops the engine. Then prints a summary or, if the user detached the screen, starts
    /// `background`. After a hang-up, the engine may continue without a screen.
    func run() async throws {
        let outcome: ScreenOutcome
        do { outcome = try await closing(interface) } catch {
            await engine.stop()
            throw error
        }
        if outcome == .hangUp, look.onHangUp(assembly.configuration) == .continue {
            StandardStream.redirectAll(to: assembly.state.appending(Array("hangup.log".utf8)))
            let run = HeadlessRun(engine: engine, isJSON: false, endsWhenIdle: true)
            return try await run.run(until: SignalStream([Signal.interrupt, Signal.terminate]))
        }
        let (uploads, retired) = await engine.queue.everything
        let before = await engine.queue.doneBefore
        await engine.stop()
        await output.flush()
        let unsaved = await engine.unsaved
        switch outcome {
        case .hangUp:
            unsaved?.print()
            throw ExitCode(128 + Signal.hangUp)
        case .signal(let number):
            unsaved?.print()
            throw ExitCode(128 + number)
        case .quit, .quitWhenIdle, .detach, .stopEngine: break
        }
        if outcome == .detach, let background {
            if let unsaved { throw unsaved }
            output.write(try await background.startAndReport())
            return await output.flush()
        }
        // Only the demo cannot be detached.
        let summary = ExitSummary(uploads, doneBefore: before, retired, isDemo: background == nil)
        if let text = summary.text { output.write(text) }
        await output.flush()
        if let unsaved { throw unsaved }
        if summary.hasFailures { throw ExitCode(1) }
    }

    private var interface: Interface {
        let engine = engine
        return Interface(
            client: engine.client, assembly: assembly,
            currentAssembly: { engine.configuration.assembly.withNewDestinations }, look: look, theme: theme,
            ownership: background == nil ? .own : .detachable, output: output,
            waitUntilIdle: { await engine.waitUntilIdle() })
    }

    /// Runs the interface until it closes, or until the engine has finished after the command `stopWhenIdle`.
    private func closing(_ interface: Interface) async throws -> ScreenOutcome {
        let engine = engine
        let running = Task { try await interface.run() }
        let finishing = Task {
            await engine.waitUntilFinished()
            if !Task.isCancelled { running.cancel() }
        }
        defer { finishing.cancel() }
        return try await running.value
    }
}
