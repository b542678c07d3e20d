import ArgumentParser
import FerryTUI
import FerryUploads

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause uploads; they resume where they stopped if the protocol can.",
        discussion: """
              ferry pause 3-7 12
              ferry pause --batch day3
            """)

    @OptionGroup var chosen: SelectionOptions
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let later = chosen.batch.map { "; uploads added to \(SafeLine.text($0)) later are paused too" }
        try await report(
            global, QueueCommand.pause, chosen.selection, .paused, explaining: .pause, json: json,
            remark: later ?? "")
    }
}

struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume paused uploads.",
        discussion: """
            With --batch or --all, uploads added to the batch later start too.

              ferry resume 3-7 12
              ferry resume --all
            """)

    @OptionGroup var chosen: SelectionOptions
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await report(
            global, QueueCommand.resume, chosen.selection, .resumed, explaining: .resume, json: json)
    }
}

struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry failed, held and waiting uploads now.",
        discussion: """
            Scheduled uploads start at once too, unless --all chose them.

              ferry retry 5
              ferry retry --all
            """)

    @OptionGroup var chosen: SelectionOptions
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await report(
            global, QueueCommand.retry, chosen.selection, .retried, explaining: .retry, json: json)
    }
}

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove uploads from the queue and delete their unfinished parts at the server.",
        discussion: """
            The files on this machine are never touched.

              ferry remove 3-7 12
              ferry remove --batch day3
            """)

    @OptionGroup var chosen: SelectionOptions
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await report(global, QueueCommand.remove, chosen.selection, .removed, json: json)
    }
}

struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Change the order of the queue.",
        usage: "ferry move <id> … (up|down|top|bottom)",
        discussion: """
              ferry move 12 top
              ferry move 3-7 down
            """)

    @Flag(help: "One JSON object.") var json = false

    @Argument(
        help: "Numbers or ranges such as 3-7 and 1,5-9, then up, down, top or bottom.",
        completion: ShellCompletion.uploads)
    var words: [String]
    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try parsed() }

    func run() async throws {
        let (numbers, move) = try parsed()
        try await report(
            global, { .move($0, move) }, numbers.selection, .moved, explaining: .move, json: json)
    }

    private func parsed() throws -> (UploadNumbers, QueueMove) {
        guard let last = words.last, let move = QueueMove(rawValue: last), words.count > 1 else {
            throw ValidationError("Give numbers, then one of up, down, top or bottom.")
        }
        return (try UploadNumbers(arguments: words.dropLast()), move)
    }
}

/// Performs a command on the selected uploads. Prints how many uploads changed, and `remark`.
///
/// - Parameter explained: The command whose unchanged uploads are explained without `--json`; nil for no explanation.
private func report(
    _ global: GlobalOptions, _ command: (UploadSelection) -> QueueCommand, _ selection: UploadSelection,
    _ change: ChangedLine.Change, explaining explained: NoOpExplanation.Command? = nil, json: Bool,
    remark: String = ""
) async throws(CommandFailure) {
    let access = try global.access()
    guard case .changed(let ids) = try await access.perform(command(selection)) else { return }
    print(json ? ChangedLine(change, ids).json : "\(ids.count) \(change.rawValue)\(remark)")
    // An error here must not fail the command, which has been carried out.
    guard !json, let explained, selection.mayHaveUnchanged(ids) else { return }
    for sentence in await access.explanation(of: explained, selection, changed: ids) {
        StandardError.note(sentence)
    }
}
