import ArgumentParser
import FerryUploads

struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End the ferry that runs; nothing is lost.",
        discussion: """
            What was being uploaded goes on at the next start, from where the server stopped if the protocol can \
            resume. If no ferry runs, there is nothing to do, and that is no error.
            """)

    @Flag(help: "Let the running uploads end first; nothing new begins. Returns at once.") var whenIdle =
        false
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let client = ControlClient(folder: global.stateFolder)
        guard whenIdle else {
            return tell(try await EngineStop(folder: global.stateFolder).stop())
        }
        let process = client.process
        switch client.perform(.stopWhenIdle) {
        case .reply(.refused(let failure)): throw CommandFailure(refused: failure)
        case .reply:
            print(
                json
                    ? JSONLine.text(StopLine(running: true, process: process))
                    : "it ends when its running uploads have")
        case .nobody: tell(.nothingRuns)
        case .unknown:
            throw CommandFailure(
                status: CommandFailure.queueInUse, summary: "the running ferry did not answer",
                hint: "`ferry stop` ends it at once")
        }
    }

    private func tell(_ outcome: EngineStop.Outcome) {
        guard json else { return print(outcome.sentence) }
        switch outcome {
        case .stopped(let process): print(JSONLine.text(StopLine(running: false, process: process)))
        case .nothingRuns: print(JSONLine.text(StopLine(running: false)))
        }
    }
}
