import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads

/// A screen for an engine in another process, which continues when the screen closes.
struct AttachedSession {
    let assembly: Assembly
    let look: ScreenOptions
    let theme: Theme
    let background: BackgroundEngine
    private let output = LineOutput()

    /// Shows the screen until it closes. Then stops the engine if the user chose this, and prints whether the uploads
    /// continue. Throws `ExitCode` after a signal or a hang-up.
    func run() async throws {
        let client = ControlClient(folder: assembly.state)
        try client.checkPulse()
        if case .otherVersion(let failure) = client.ask(.report) { throw CommandFailure(inUse: failure) }
        assembly.noteUnusedEdit()
        let outcome = try await interface.run()
        await output.flush()
        switch outcome {
        case .hangUp: throw ExitCode(128 + Signal.hangUp)
        case .signal(let number): throw ExitCode(128 + number)
        case .stopEngine:
            output.write(EngineStop.sentence(try await EngineStop(folder: assembly.state).stop()))
        case .quit, .detach, .quitWhenIdle: output.write(farewell)
        }
        await output.flush()
    }

    private var farewell: String {
        ControlClient(folder: assembly.state).hasListener
            ? "the uploads continue in the engine; `ferry` shows them, `ferry stop` ends them"
            : "no engine runs; `ferry` resumes the unfinished uploads"
    }

    private var interface: Interface {
        let (background, assembly) = (background, assembly)
        return Interface(
            client: RemoteQueue(folder: assembly.state), assembly: assembly,
            // The engine reads new destinations itself when uploads need them, so the screen offers them.
            currentAssembly: { (try? assembly.readAgain()) ?? assembly }, look: look, theme: theme,
            ownership: .attached, output: output,
            // There is nothing to wait for: the engine does not end with this process.
            waitUntilIdle: {},
            startEngine: {
                do throws(CommandFailure) {
                    _ = try await background.startAndReport()
                    return .changed([])
                } catch {
                    return .refused(UploadFailure(.permanent, error.summary, hint: error.hint))
                }
            })
    }
}
