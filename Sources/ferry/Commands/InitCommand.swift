import ArgumentParser
import FerryProtocols
import FerryUploads

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Set up a destination by answering a few questions.",
        discussion: """
            The server is asked what it can do before anything is written. An existing configuration gets one more \
            destination and stays otherwise unchanged. A typed secret goes into its own file, which only you \
            can read. Without a terminal, answers are read from standard input.

              ferry init https://uploads.example.org/files/
              ferry init tus+http://127.0.0.1:8080/files/ --token-file ferry-received/.ferry/token
            """)

    @Argument(help: "The address, as for `add --to`; a question asks for it otherwise.") var address: String?
    @Option(
        help: "Sign in with the token (Bearer) in this file, which `ferry serve` names.", completion: .file())
    var tokenFile: String?
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let file = PrivateFile(global.configuration.map(LocalFiles.expanded) ?? LocalFiles.configuration)
        let edit = try ConfigurationEdit(file)
        let prompt = TerminalPrompt()
        let assembly = Assembly(configuration: edit.configuration, state: global.stateFolder)
        let wizard = Wizard(
            prompt: prompt, taken: Set(edit.configuration.destinations.keys),
            parseAddress: { address throws(UploadFailure) in try assembly.destination(address) })
        do {
            prompt.say("Sets up a destination in \(file.path). Nothing is written before the last question.")
            if address == nil {
                prompt.say(
                    """
                    Where do files go? For example
                      https://files.example.org/in/          the server is asked how it takes files
                      tus+https://uploads.example.org/files/ by tus; also webdav+, form+, put+, …
                      s3://bucket/folder/                    AWS; others: s3+https://host/bucket/folder/
                    """)
            }
            let signIn = tokenFile.map { DestinationDraft.SignIn.bearer(.file(LocalFiles.absolute($0))) }
            let draft = try await checked(try wizard.destination(at: address, signIn: signIn), edit, wizard)
            guard let draft else { return prompt.say("nothing was written") }
            try write(draft, edit, wizard)
        } catch is Wizard.NoInput {
            throw CommandFailure(
                usage: "input ended before the last question; nothing was written",
                hint: "`ferry init` begins again")
        }
    }

    /// Checks a new destination with its server, and lets the user change it if there is a problem. Returns the
    /// destination to write; nil if the user gives up.
    private func checked(
        _ draft: DestinationDraft, _ edit: ConfigurationEdit, _ wizard: Wizard
    ) async throws -> DestinationDraft? {
        var draft = draft
        while true {
            wizard.prompt.say("asking \(UploadAddress.withoutQuery(draft.url)) …")
            let result = try await ask(draft, edit)
            wizard.prompt.say(CheckText.block(result, headed: true).trimmed { $0 == "\n" })
            if result.isFine { return draft }
            let choices = ["another address", "another way to sign in", "continue anyway", "leave"]
            let suggestion = result.failure?.category == .authentication ? 1 : 0
            switch try wizard.choose("What now?", among: choices, suggestion: suggestion) {
            case 0:
                (draft.url, draft.protocolName) = try wizard.askAddress()
                // Credentials of one server may be wrong for another.
                draft.signIn = try wizard.askSignIn(to: draft.protocolName)
            case 1: draft.signIn = try wizard.askSignIn(to: draft.protocolName)
            case 2: return draft
            default: return nil
            }
        }
    }

    private func ask(_ draft: DestinationDraft, _ edit: ConfigurationEdit) async throws -> CheckResult {
        let text = try edit.text(adding: draft, secretFile: nil, isDefault: false)
        let configuration = try ConfigurationFile.parse(Data(text), file: edit.file.path)
        let assembly = Assembly(configuration: configuration, state: global.stateFolder)
        let runner = assembly.runner(rateLimit: RateLimit(), monitors: [])
        let result = await Result.awaiting {
            await CheckResult(of: try assembly.destination(draft.name), by: runner)
        }
        await runner.shutdown()
        return try result.get()
    }

    private func write(_ draft: DestinationDraft, _ edit: ConfigurationEdit, _ wizard: Wizard) throws {
        let others = edit.configuration.destinations
        let isDefault =
            others.count == 1 && edit.configuration.defaultDestination == nil
            ? try wizard.confirm("Make \(draft.name) the default destination?", suggestion: false)
            : others.isEmpty
        let secretFile = draft.typedSecret.map { _ in Self.newFile(for: draft, in: edit.file.namedFolder) }
        let shownFile = secretFile.map(Self.shown)
        let text = try edit.text(adding: draft, secretFile: shownFile, isDefault: isDefault)
        let json = draft.json(secretFile: shownFile)
        wizard.prompt.say("\(JSONLine.quoted(draft.name)): \(json)")
        guard try wizard.confirm("Write it?", suggestion: true) else {
            return wizard.prompt.say("nothing was written")
        }
        if let secretFile, let secret = draft.typedSecret {
            try PrivateFile(secretFile).write(Array((secret + "\n").utf8))
        }
        do throws(CommandFailure) { try edit.write(text) } catch {
            if let secretFile { try? LocalPath(secretFile).remove() }
            throw error
        }
        let option =
            isDefault || edit.configuration.defaultDestination == draft.name ? "" : " --to \(draft.name)"
        wizard.prompt.say("written; next: `ferry add FILE…\(option)`, then `ferry`")
        if let line = reloadEngine(for: draft.name, in: edit.file.path) { wizard.prompt.say(line) }
    }

    /// Makes a running engine read its configuration again. Returns a message that says whether the engine knows the
    /// new destination `name`; nil if none runs.
    private func reloadEngine(for name: String, in file: String) -> String? {
        do throws(CommandFailure) {
            guard let report = try ControlClient(folder: global.stateFolder).reload() else { return nil }
            return report.makesKnown(name, of: file)
                ? "the running engine knows \(name) now"
                : "the running engine does not know \(name): its configuration is \(report.file)"
        } catch {
            return "the running engine does not know \(name) yet: \(error.summary)"
                + (error.hint.map { " (\($0))" } ?? "")
        }
    }

    /// Returns a path in `folder` for a secret, at which no file exists, such as `films-token` or `films-token-2`.
    private static func newFile(for draft: DestinationDraft, in folder: String) -> String {
        let base = "\(folder)/\(draft.name)-\(draft.signIn.secretKind)"
        let paths = (1...).lazy.map { $0 == 1 ? base : "\(base)-\($0)" }
        return paths.first { LocalFiles.mode(of: $0) == nil } ?? base
    }

    /// Returns the path with `~` in place of the home folder.
    private static func shown(_ path: String) -> String {
        let home = LocalFiles.home + "/"
        return path.hasPrefix(home) ? "~/" + path.dropFirst(home.count) : path
    }
}
