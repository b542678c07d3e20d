import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads
import Foundation

/// A screen on the engine of another process, which goes on when the screen has closed.
struct AttachedSession {
    let assembly: Assembly
    let look: ScreenOptions
    let theme: Theme
    let background: BackgroundEngine
    private let output = LineOutput()

    init(assembly: Assembly, look: ScreenOptions, theme: Theme, background: BackgroundEngine) {
        self.assembly = assembly
        self.look = look
        self.theme = theme
        self.background = background
    }

    /// - Throws: `CommandFailure` if the engine is another version; `ExitCode` for a signal.
    func run() async throws {
        if case .otherVersion(let failure) = ControlClient(folder: assembly.state).ask(.report) {
            throw CommandFailure(
                status: CommandFailure.queueInUse, summary: failure.summary, hint: failure.hint)
        }
        if assembly.edited != .refuse {
            StandardError.write("note: an edit is looked at when no ferry is running\n")
        }
        let outcome: ScreenOutcome
        do throws(ScreenError) {
            outcome = try await interface.run()
        } catch {
            throw CommandFailure(status: CommandFailure.usage, summary: "\(error)")
        }
        switch outcome {
        case .hangUp: throw ExitCode(128 + SIGHUP)
        case .signal(let number): throw ExitCode(number == SIGINT ? CommandFailure.interrupted : 128 + number)
        case .stopEngine: output.write(try await EngineStop(folder: assembly.state).stop().sentence)
        case .quit, .detach, .quitWhenIdle: output.write(farewell)
        }
        await output.flush()
    }

    private var farewell: String {
        ControlClient(folder: assembly.state).isAnswered
            ? "The uploads go on with the ferry that has them; `ferry` shows them, `ferry stop` ends them."
            : "No engine runs; `ferry` goes on with what is not finished."
    }

    private var interface: Interface {
        let (background, assembly) = (background, assembly)
        return Interface(
            client: RemoteQueue(folder: assembly.state), assembly: assembly,
            // The engine reads an edited file by itself when something of it is new to it.
            currentAssembly: { (try? assembly.readAgain()) ?? assembly }, look: look, theme: theme,
            tie: .attached, output: output,
            // The engine goes on by itself.
            waitUntilIdle: {},
            startEngine: {
                do throws(CommandFailure) {
                    _ = try await background.startInPlace()
                    return .changed([])
                } catch {
                    return .refused(UploadFailure(.permanent, error.summary, hint: error.hint))
                }
            })
    }
}
