import ArgumentParser
import FerryUploads

struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the engine; nothing is lost.",
        discussion: """
            Running uploads resume at the next start, from where the server stopped if the protocol can \
            resume. Without a running engine there is nothing to do, which is not an error.

              ferry stop
              ferry stop --when-idle
            """)

    @Flag(help: "Finish the running uploads first and start no others. Returns at once.") var whenIdle = false
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let client = ControlClient(folder: global.stateFolder)
        guard whenIdle else { return tell(try await EngineStop(folder: global.stateFolder).stop()) }
        let process = client.process
        switch client.perform(.stopWhenIdle) {
        case .refused(let failure): throw CommandFailure(refused: failure)
        case .reply:
            print(
                json
                    ? StopLine(running: true, process: process).json
                    : "the engine stops when its running uploads have ended")
        case .noEngine: tell(nil)
        case .unknown:
            throw CommandFailure(
                inUse: "the running engine did not answer", hint: "`ferry stop` ends it at once")
        }
    }

    private func tell(_ process: Int32?) {
        print(json ? StopLine(running: false, process: process).json : EngineStop.sentence(process))
    }
}
