import ArgumentParser
import Foundation
import Transfer

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show where Ferry's files are, and check the configuration.")

    @OptionGroup var global: GlobalOptions
    @Flag(help: "Print a configuration to begin with.") var printExample = false

    func run() async throws {
        if printExample {
            print(ExampleConfiguration.text, terminator: "")
            return
        }
        let file = global.configuration.map(LocalFiles.expanded) ?? LocalFiles.configuration
        let configuration = try global.loadConfiguration()
        let isThere = LocalFiles.mode(of: file) != nil
        print("configuration  \(file)\(isThere ? "" : " (none; `ferry config --print-example` prints one)")")
        print("state          \(global.stateFolder.text)")
        print("log            \(global.stateFolder.text)/ferry.log")
        for (name, destination) in configuration.destinations.sorted(by: { $0.key < $1.key }) {
            let mark = name == configuration.defaultDestination ? " (default)" : ""
            print("destination    \(name)\(mark): \(destination.protocolName) \(destination.url)")
        }
        for warning in configuration.warnings {
            StandardError.write("\(Notice(kind: .warning, text: warning).line)\n")
        }
    }
}
