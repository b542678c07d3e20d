import ArgumentParser
import Foundation
import TUI
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

    @Flag(help: "Take over a queue.json that was changed by hand, after checking all of it.")
    var acceptEdited = false

    @Flag(
        help: "Go back to the queue as it was saved before a change by hand; the changed file is kept aside.")
    var discardEdited = false

    func validate() throws {
        guard !acceptEdited || !discardEdited else {
            throw ValidationError("Give --accept-edited or --discard-edited, not both.")
        }
    }

    var edited: EditedSnapshot { acceptEdited ? .accept : discardEdited ? .setAside : .refuse }

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

    /// - Parameter change: What the command's own options say otherwise than the configuration.
    func assembly(_ change: (inout Configuration) -> Void = { _ in }) throws(CommandFailure) -> Assembly {
        var configuration = try loadConfiguration()
        change(&configuration)
        return Assembly(configuration: configuration, state: stateFolder, edited: edited)
    }
}

/// How a screen looks, for commands that open one.
struct ScreenOptions: ParsableArguments {
    @Flag(name: .customLong("no-color"), help: "No colours.")
    var noColour = false

    @Flag(help: "ASCII signs only.")
    var ascii = false

    @Option(
        help: "The colours of the screen: \(ScreenOptions.themes).",
        transform: { name in
            guard let theme = Theme(rawValue: name) else {
                throw ValidationError("There is no theme '\(name)'; there are \(ScreenOptions.themes).")
            }
            return theme
        })
    var theme: Theme?

    @Flag(
        help: ArgumentHelp(
            "Plain lines and typed commands in place of the screen, for screen readers and logs.",
            discussion: "Also with ACCESSIBLE=1 in the environment, and where no screen is possible."))
    var plain = false

    /// True if nobody wants a screen, whether there could be one or not.
    func asksForLines(in environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        plain || !["", "0"].contains(environment["ACCESSIBLE"] ?? "")
    }

    private static let themes = Theme.allCases.map(\.rawValue).joined(separator: ", ")
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
