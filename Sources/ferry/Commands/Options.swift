import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads
import Foundation

/// How a command lets the state folder be named.
protocol StateFolderNames {
    static var names: NameSpecification { get }
}

/// `--state` too, which scripts use since the first version.
enum OldStateFolderNames: StateFolderNames {
    static let names: NameSpecification = [.customLong("state-dir"), .customLong("state")]
}

/// For a command whose own `--state` means something else.
enum NewStateFolderNames: StateFolderNames {
    static let names: NameSpecification = .customLong("state-dir")
}

/// Options that every command takes.
typealias GlobalOptions = LocationOptions<OldStateFolderNames>

/// Where the configuration and the queue are.
struct LocationOptions<Names: StateFolderNames>: ParsableArguments {
    @Option(
        name: .customLong("config"), help: ArgumentHelp("The configuration file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var configuration: String?

    @Option(
        name: Names.names,
        help: ArgumentHelp("The folder that holds the queue.", valueName: "folder"), completion: .directory)
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

    /// The same for a process that runs elsewhere.
    var arguments: [String] {
        let file = configuration.map { URL(fileURLWithPath: LocalFiles.expanded($0)).path }
        return (file.map { ["--config", $0] } ?? []) + ["--state", stateFolder.text] + editedArguments
    }

    /// The same for a process without the variables of this one: what it finds in the usual place is not named.
    var unitArguments: [String] {
        let file = URL(fileURLWithPath: configuration.map(LocalFiles.expanded) ?? LocalFiles.configuration)
            .path
        let isNamed = configuration != nil || LocalFiles.mode(of: file) != nil
        return (isNamed && file != LocalFiles.usualConfiguration ? ["--config", file] : [])
            + (stateFolder.text != LocalFiles.usualState ? ["--state", stateFolder.text] : [])
            + editedArguments
    }

    private var editedArguments: [String] {
        (acceptEdited ? ["--accept-edited"] : []) + (discardEdited ? ["--discard-edited"] : [])
    }

    /// A folder that was named and is not there is a mistake for whoever does not make one.
    func checkFolder() throws(CommandFailure) {
        guard let state, LocalFiles.mode(of: stateFolder.text) == nil else { return }
        throw CommandFailure(
            status: CommandFailure.usage, summary: "there is no folder \(state)",
            hint: "`ferry add` and `ferry run` make it")
    }

    /// A ferry that runs goes by what it has read: it is steered also while the configuration has a mistake.
    ///
    /// - Throws: `CommandFailure` if the state folder was named and is not there.
    func access() throws(CommandFailure) -> QueueAccess {
        try checkFolder()
        let assembly = Result { () throws(CommandFailure) in try self.assembly() }
        if case .failure(let flaw) = assembly {
            guard ControlClient(folder: stateFolder).isAnswered else { throw flaw }
            let text = "\(flaw.summary); the ferry that runs goes by what it read before"
            StandardError.write(Notice(kind: .warning, text: text).line + "\n")
        }
        return QueueAccess(assembly: assembly, state: stateFolder)
    }

    /// - Parameter change: What the command's own options say otherwise than the configuration.
    func assembly(
        _ change: @escaping @Sendable (inout Configuration) -> Void = { _ in }
    ) throws(CommandFailure) -> Assembly {
        var loaded = try loadConfiguration()
        change(&loaded)
        return Assembly(
            configuration: loaded, state: stateFolder, edited: edited,
            source: ConfigurationSource(configuration, change))
    }
}

/// How a screen looks, for commands that open one.
struct ScreenOptions: ParsableArguments {
    @Option(
        name: .customLong("color"),
        help: ArgumentHelp(
            "\(ScreenOptions.colours); direct are exact ones of 24 bits, where terminfo describes them.",
            valueName: "when"),
        completion: .list(Screen.Configuration.Colour.allCases.map(\.rawValue)),
        transform: { name in
            guard let colour = Screen.Configuration.Colour(rawValue: name) else {
                throw ValidationError("--color is one of \(ScreenOptions.colours), not '\(name)'.")
            }
            return colour
        })
    var colour: Screen.Configuration.Colour?

    private static let colours = Screen.Configuration.Colour.allCases.map(\.rawValue).joined(separator: ", ")

    @Flag(name: .customLong("no-color"), help: "No colours, as --color never.")
    var noColour = false

    @Flag(help: "ASCII signs only.")
    var ascii = false

    @Flag(help: "At most one frame a second of what moves by itself, for slow lines.")
    var slow = false

    @Flag(
        help: ArgumentHelp(
            "Plain lines and typed commands in place of the screen, for screen readers and logs.",
            discussion: "Also with ACCESSIBLE=1 in the environment, and where no screen is possible."))
    var plain = false

    @Option(
        help: "The colours of the screen: \(ThemeChoice.names), or the path of a theme file.",
        completion: .list(Theme.builtIn.map(\.key)),
        transform: { text in
            guard let choice = ThemeChoice(text) else {
                throw ValidationError(
                    "There is no theme '\(text)'; there are \(ThemeChoice.names), and files whose path has a '/'."
                )
            }
            return choice
        })
    var theme: ThemeChoice?

    func validate() throws {
        guard !noColour || colour == nil || colour == .never else {
            throw ValidationError("Give --color or --no-color, not both.")
        }
    }

    /// The theme that was asked for here, else the configuration's.
    func theme(_ configuration: Configuration) throws(CommandFailure) -> Theme {
        try (theme ?? configuration.appearance.theme).load()
    }

    @Option(
        name: .customLong("on-hangup"),
        help: ArgumentHelp(
            "What the uploads do when the terminal goes: stop, or continue without it, told of in hangup.log of the state folder.",
            discussion:
                "As onHangUp of the configuration, which is stop if it says nothing. A screen on a background engine changes nothing there.",
            valueName: "policy"),
        completion: .list(HangUpPolicy.allCases.map(\.rawValue)), transform: ScreenOptions.hangUpPolicy)
    var chosenOnHangUp: HangUpPolicy?

    /// What was asked for here, else in the configuration.
    func onHangUp(_ configuration: Configuration) -> HangUpPolicy { chosenOnHangUp ?? configuration.onHangUp }

    private static func hangUpPolicy(_ text: String) throws -> HangUpPolicy {
        guard let policy = HangUpPolicy(rawValue: text) else {
            throw ValidationError("--on-hangup is stop or continue, not '\(text)'.")
        }
        return policy
    }

    /// True if nobody wants a screen, whether there could be one or not.
    func asksForLines(in environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        plain || !["", "0"].contains(environment["ACCESSIBLE"] ?? "")
    }
}

/// Which uploads a command is about.
struct SelectionOptions: ParsableArguments {
    @Argument(
        help:
            "The numbers of uploads, as `ferry list` shows them; 3-7 for those from 3 to 7, 1,5 for 1 and 5.",
        completion: ShellCompletion.uploads, transform: { try UploadNumbers(arguments: [$0]) })
    var ids: [UploadNumbers] = []

    @Flag(help: "All uploads.")
    var all = false

    @Option(help: ArgumentHelp("Those that were added to the batch of this name.", valueName: "name"))
    var batch: String?

    func validate() throws {
        switch [all, batch != nil, !ids.isEmpty].count(where: { $0 }) {
        case 0: throw ValidationError("Which uploads? Give their numbers, --batch NAME or --all.")
        case 1: break
        default: throw ValidationError("Give either numbers, --batch NAME or --all.")
        }
    }

    var selection: UploadSelection {
        if let batch { return .batch(batch) }
        return all ? .all : UploadNumbers(ids.flatMap(\.ranges)).selection
    }
}

extension UploadNumbers {
    /// - Throws: `ValidationError`, which is told with the usage of the command.
    init(arguments: some Sequence<String>) throws {
        do throws(UploadFailure) { try self.init(words: arguments) } catch {
            throw ValidationError("\(error.summary).")
        }
    }
}
