import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads

/// The names of a command's option for the state folder, in which Ferry stores the queue.
protocol StateFolderNames {
    static var names: NameSpecification { get }
}

/// The names of the state folder option in most commands: `--state-dir`, and `--state` for older scripts.
enum OldStateFolderNames: StateFolderNames {
    static let names: NameSpecification = [.customLong("state-dir"), .customLong("state")]
}

/// The name of the state folder option in commands where `--state` means something else: only `--state-dir`.
enum NewStateFolderNames: StateFolderNames {
    static let names: NameSpecification = .customLong("state-dir")
}

typealias GlobalOptions = LocationOptions<OldStateFolderNames>

/// The options for the paths of the configuration and the state folder, and for a queue.json that was edited.
struct LocationOptions<Names: StateFolderNames>: ParsableArguments {
    @Option(
        name: .customLong("config"), help: ArgumentHelp("The configuration file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var configuration: String?

    @Option(
        name: Names.names,
        help: ArgumentHelp("The folder of the queue.", valueName: "folder"), completion: .directory)
    var state: String?

    @Flag(help: "Accept a queue.json that was edited by hand, after checking it.") var acceptEdited = false

    @Flag(help: "Discard an edit of queue.json; the edited file is kept under another name.")
    var discardEdited = false

    func validate() throws {
        try require(!acceptEdited || !discardEdited, "Give --accept-edited or --discard-edited, not both.")
        // An unset variable of a script must not mean the current folder.
        try require(configuration != "" && state != "", "The path after --config or --state-dir is empty.")
    }

    var edited: EditedSnapshot { acceptEdited ? .accept : discardEdited ? .setAside : .refuse }

    func loadConfiguration() throws(CommandFailure) -> Configuration {
        do throws(UploadFailure) { return try ConfigurationFile.load(configuration) } catch {
            throw CommandFailure(usage: error)
        }
    }

    var stateFolder: LocalPath {
        let path = state.map(LocalFiles.expanded) ?? LocalFiles.state
        return LocalPath(URL(fileURLWithPath: path).path)
    }

    /// The options as arguments for a process with possibly another working directory.
    var arguments: [String] {
        let file = configuration.map { URL(fileURLWithPath: LocalFiles.expanded($0)).path }
        return (file.map { ["--config", $0] } ?? []) + ["--state", stateFolder.text] + editedArguments
    }

    /// The options as arguments for a systemd unit, which may lack the user's XDG variables: only default paths without
    /// these variables, and a missing default configuration, are left out.
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

    /// Throws if the user named a state folder that does not exist. `ferry add` and `ferry run` create it instead.
    func checkFolder() throws(CommandFailure) {
        guard let state, LocalFiles.mode(of: stateFolder.text) == nil else { return }
        throw CommandFailure(
            usage: "there is no folder \(state)", hint: "`ferry add` and `ferry run` make it")
    }

    /// Returns the access to the queue. If the configuration is invalid but an engine runs, only prints a warning,
    /// because the engine keeps the configuration that it has read.
    func access() throws(CommandFailure) -> QueueAccess {
        try checkFolder()
        let assembly = Result { () throws(CommandFailure) in try self.assembly() }
        if case .failure(let error) = assembly {
            guard ControlClient(folder: stateFolder).hasListener else { throw error }
            StandardError.warn("\(error.summary); the engine keeps its earlier configuration")
        }
        return QueueAccess(assembly: assembly, state: stateFolder)
    }

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

/// The options of commands that show the screen, Ferry's full-screen interface in the terminal.
struct ScreenOptions: ParsableArguments {
    @Option(
        name: .customLong("color"),
        help: ArgumentHelp(
            "\(ScreenOptions.colours); direct: 24-bit colour, where terminfo describes it.",
            valueName: "when"),
        completion: .list(Screen.Configuration.Colour.allCases.map(\.rawValue)),
        transform: { try choice($0) { "--color is one of \($1), not '\($0)'." } })
    var colour: Screen.Configuration.Colour?

    private static let colours = Screen.Configuration.Colour.allCases.map(\.rawValue).joined(separator: ", ")

    @Flag(name: .customLong("no-color"), help: "No colours, as --color never.") var noColour = false

    @Flag(help: "ASCII signs only.") var ascii = false

    @Flag(help: "At most one frame a second without a key, for slow lines.") var slow = false

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
                        + Misspelling.question(on: text, among: Theme.builtIn.map(\.key)))
            }
            return choice
        })
    var theme: ThemeChoice?

    func validate() throws {
        try require(!noColour || colour == nil || colour == .never, "Give --color or --no-color, not both.")
    }

    func theme(_ configuration: Configuration) throws(UploadFailure) -> Theme {
        try (theme ?? configuration.appearance.theme).load()
    }

    @Option(
        name: .customLong("on-hangup"),
        help: ArgumentHelp(
            "What uploads do when the terminal closes: stop, or continue and log to hangup.log in the state folder.",
            discussion:
                "The default is the configuration's onHangUp, otherwise stop. A screen attached to a background engine never stops it.",
            valueName: "policy"),
        completion: .list(HangUpPolicy.allCases.map(\.rawValue)),
        transform: { try choice($0) { text, _ in "--on-hangup is stop or continue, not '\(text)'." } })
    var chosenOnHangUp: HangUpPolicy?

    func onHangUp(_ configuration: Configuration) -> HangUpPolicy { chosenOnHangUp ?? configuration.onHangUp }

    /// True if the user asks for plain lines by `--plain` or the environment variable `ACCESSIBLE`.
    var asksForLines: Bool {
        plain || !["", "0"].contains(ProcessInfo.processInfo.environment["ACCESSIBLE"] ?? "")
    }
}

/// The arguments that select uploads: numbers, a batch, or all.
struct SelectionOptions: ParsableArguments {
    @Argument(
        help: "Numbers of uploads, as `ferry list` shows them; 3-7 and 1,5 work too.",
        completion: ShellCompletion.uploads, transform: { try UploadNumbers(arguments: [$0]) })
    var ids: [UploadNumbers] = []

    @Flag(help: "All uploads.") var all = false

    @Option(help: ArgumentHelp("The uploads of this batch.", valueName: "name")) var batch: String?

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

/// Throws the message, which is printed together with the usage, unless the condition is true.
func require(_ condition: Bool, _ message: String) throws(ValidationError) {
    guard condition else { throw ValidationError(message) }
}

/// Returns the enum case that the value of an option names; `issue` returns the error message if there is none.
func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String, _ issue: (_ text: String, _ names: String) -> String
) throws -> Choice {
    if let choice = Choice(rawValue: text) { return choice }
    let names = Choice.allCases.map(\.rawValue)
    throw ValidationError(
        issue(text, names.joined(separator: ", ")) + Misspelling.question(on: text, among: names))
}

extension UploadNumbers {
    /// Parses numbers and ranges such as `3-7`. Throws `ValidationError`, which is printed together with the usage.
    init(arguments: some Sequence<String>) throws {
        do throws(UploadFailure) { try self.init(words: arguments) } catch {
            throw ValidationError("\(error.summary).")
        }
    }
}
