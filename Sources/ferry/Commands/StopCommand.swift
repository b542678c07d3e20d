import ArgumentParser
import Uploads

struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End the ferry that runs; nothing is lost.",
        discussion: """
            What was being uploaded goes on at the next start, from where the server stopped if the protocol can \
            resume. If no ferry runs, there is nothing to do, and that is no error.
            """)

    @OptionGroup var global: GlobalOptions
    @Flag(help: "Let the running uploads end first; nothing new begins. Returns at once.") var whenIdle =
        false

    func run() async throws {
        guard whenIdle else {
            return print(try await EngineStop(folder: global.stateFolder).stop().sentence)
        }
        switch ControlClient(folder: global.stateFolder).perform(.stopWhenIdle) {
        case .reply(.refused(let failure)): throw CommandFailure(refused: failure)
        case .reply: print("it ends when its running uploads have")
        case .nobody: print(EngineStop.Outcome.nothingRuns.sentence)
        case .unknown:
            throw CommandFailure(
                status: CommandFailure.queueInUse, summary: "the running ferry did not answer",
                hint: "`ferry stop` ends it at once")
        }
    }
}
