import ArgumentParser
import Foundation
import Transfer
import UploadProtocols
import Uploads

/// Options that every command takes.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: .customLong("config"), help: "The configuration file.", completion: .file(extensions: ["json"]))
    var configuration: String?

    @Option(name: .customLong("state"), help: "The folder that holds the queue.", completion: .directory)
    var state: String?

    func loadConfiguration() throws(CommandFailure) -> Configuration {
        do throws(UploadFailure) {
            return try ConfigurationFile.load(configuration)
        } catch {
            throw CommandFailure(usage: error)
        }
    }

    var stateFolder: LocalPath {
        let path = state.map(LocalFiles.expanded) ?? LocalFiles.state
        return LocalPath(URL(fileURLWithPath: path).path)
    }

    func access() throws(CommandFailure) -> QueueAccess {
        QueueAccess(assembly: try assembly(), state: stateFolder)
    }

    func assembly() throws(CommandFailure) -> Assembly {
        Assembly(configuration: try loadConfiguration(), state: stateFolder)
    }
}

/// How a screen looks, for commands that open one.
struct ScreenOptions: ParsableArguments {
    @Flag(name: .customLong("no-color"), help: "No colours.")
    var noColour = false

    @Flag(help: "ASCII signs only.")
    var ascii = false
}

/// Which uploads a command is about.
struct SelectionOptions: ParsableArguments {
    @Argument(help: "The numbers of uploads, as `ferry list` shows them.")
    var ids: [Int] = []

    @Flag(help: "All uploads.")
    var all = false

    func validate() throws {
        guard all == ids.isEmpty else {
            throw ValidationError(
                all ? "Give either numbers or --all." : "Which uploads? Give their numbers, or --all.")
        }
    }

    var selection: UploadSelection { all ? .all : .ids(ids) }
}
