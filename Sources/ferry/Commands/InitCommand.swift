import ArgumentParser
import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Set up a destination by answering a few questions.",
        discussion: """
            The destination is asked what it can do before anything is written. A configuration that is there gets one \
            destination more, and stays as it is otherwise. A secret that is typed goes into a file of its own that only you \
            can read. Without a terminal the answers are lines of standard input.
            """)

    @Argument(help: "The address, as for `add --to`; asked for if it is missing.") var address: String?
    @Option(
        help: "Sign in with the token (Bearer) in this file, which `ferry serve` names.", completion: .file())
    var tokenFile: String?
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let file = PrivateFile(global.configuration.map(LocalFiles.expanded) ?? LocalFiles.configuration)
        let edit = try ConfigurationEdit(file)
        let answers = StandardAnswers()
        let assembly = Assembly(configuration: edit.configuration, state: global.stateFolder)
        let interview = Interview(
            answers: answers, taken: Set(edit.configuration.destinations.keys),
            place: { address throws(UploadFailure) in try assembly.destination(address) })
        do {
            answers.say(
                """
                Sets up a destination in \(file.path). Nothing is written before the last question.
                Where do files go? For example
                  https://files.example.org/in/          the server is asked how it takes files
                  tus+https://uploads.example.org/files/ by tus; also webdav+, form+, put+, …
                  s3://bucket/folder/                    AWS; others: s3+https://host/bucket/folder/
                """)
            let draft = try await checked(
                try interview.destination(at: address, signIn: signIn), edit, interview)
            guard let draft else { return answers.say("nothing was written") }
            try write(draft, edit, interview)
        } catch is Interview.NoAnswer {
            throw CommandFailure(
                status: CommandFailure.usage, summary: "the answers ended; nothing was written",
                hint: "`ferry init` begins again")
        }
    }

    /// What the command line says about signing in.
    private var signIn: DestinationDraft.SignIn? {
        tokenFile.map {
            .bearer(.file(URL(fileURLWithPath: LocalFiles.expanded($0)).standardizedFileURL.path))
        }
    }

    /// Asks the destination, and the person about what it refuses.
    ///
    /// - Returns: nil if the person gives up.
    private func checked(
        _ draft: DestinationDraft, _ edit: ConfigurationEdit, _ interview: Interview
    ) async throws -> DestinationDraft? {
        var draft = draft
        while true {
            interview.answers.say("asking \(UploadAddress.withoutQuery(draft.url)) …")
            let result = try await ask(draft, edit)
            interview.answers.say(CheckText.block(result, headed: true).trimmingCharacters(in: .newlines))
            if result.isFine { return draft }
            let choices = ["another address", "another way to sign in", "go on all the same", "leave"]
            let suggestion = result.failure?.category == .authentication ? 1 : 0
            switch try interview.choose("What now?", among: choices, suggestion: suggestion) {
            case 0:
                (draft.url, draft.protocolName) = try interview.askPlace()
                // What signs in at one place may mean nothing at another.
                draft.signIn = try interview.askSignIn(to: draft.protocolName)
            case 1: draft.signIn = try interview.askSignIn(to: draft.protocolName)
            case 2: return draft
            default: return nil
            }
        }
    }

    private func ask(_ draft: DestinationDraft, _ edit: ConfigurationEdit) async throws -> CheckResult {
        let text = try edit.text(adding: draft, secretFile: nil, isDefault: false)
        let configuration: Configuration
        do throws(UploadFailure) {
            configuration = try ConfigurationFile.parse(Data(text), file: edit.file.path)
        } catch {
            throw CommandFailure(usage: error)
        }
        let assembly = Assembly(configuration: configuration, state: global.stateFolder)
        let runner = assembly.runner(pace: RateLimit(), monitors: [])
        do {
            let result = await CheckResult(of: try assembly.destination(draft.name), by: runner)
            await runner.shutdown()
            return result
        } catch {
            await runner.shutdown()
            throw error
        }
    }

    private func write(_ draft: DestinationDraft, _ edit: ConfigurationEdit, _ interview: Interview) throws {
        let others = edit.configuration.destinations
        let isDefault =
            others.count == 1 && edit.configuration.defaultDestination == nil
            ? try interview.confirm(
                "Where no destination is named, is \(draft.name) meant?", suggestion: false)
            : others.isEmpty
        let secret = draft.typedSecret.map { text in (SecretPlace(draft, in: edit.file.namedFolder), text) }
        let text = try edit.text(adding: draft, secretFile: secret?.0.shown, isDefault: isDefault)
        let json = draft.json(secretFile: secret?.0.shown)
        interview.answers.say("\(JSONLine.quoted(draft.name)): \(json)")
        guard try interview.confirm("Write it?", suggestion: true) else {
            return interview.answers.say("nothing was written")
        }
        if let (place, text) = secret { try PrivateFile(place.path).write(Array((text + "\n").utf8)) }
        do throws(CommandFailure) {
            try edit.write(text)
        } catch {
            if let (place, _) = secret { unlink(place.path) }
            throw error
        }
        let option =
            isDefault || edit.configuration.defaultDestination == draft.name ? "" : " --to \(draft.name)"
        interview.answers.say("written; now: ferry add FILE…\(option), then ferry")
        if let line = told(draft.name, in: edit.file.path) { interview.answers.say(line) }
    }

    /// Lets a ferry that runs know of the new destination.
    ///
    /// - Returns: What came of it; nil if none runs.
    private func told(_ name: String, in file: String) -> String? {
        do throws(CommandFailure) {
            guard let report = try EngineReload(folder: global.stateFolder).reload() else { return nil }
            return report.makesKnown(name, of: file)
                ? "The ferry that runs knows \(name) now."
                : "The ferry that runs does not know \(name): its configuration is \(report.file)."
        } catch {
            return "The ferry that runs does not know \(name) yet: \(error.summary)"
                + (error.hint.map { " (\($0))" } ?? "")
        }
    }
}

/// Where a secret that was typed is kept.
private struct SecretPlace {
    let path: String

    /// A name that is free.
    init(_ draft: DestinationDraft, in folder: String) {
        let base = "\(folder)/\(draft.name)-\(draft.signIn.secretKind)"
        var (path, number) = (base, 1)
        while LocalFiles.mode(of: path) != nil {
            number += 1
            path = "\(base)-\(number)"
        }
        self.path = path
    }

    /// As a person would write it.
    var shown: String {
        let home = LocalFiles.home + "/"
        return path.hasPrefix(home) ? "~/" + path.dropFirst(home.count) : path
    }
}
