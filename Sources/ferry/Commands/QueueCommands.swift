import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads
import Foundation

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop uploads; what can resume goes on later where it was.")

    @OptionGroup var chosen: SelectionOptions
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let later = chosen.batch.map { "; what is added to \(SafeLine.text($0)) later is paused too" }
        try await report(
            global, QueueCommand.pause, chosen.selection, .paused, json: json, remark: later ?? "")
    }
}

struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let paused uploads go on.",
        discussion: "With --batch or --all, what is added to the batch later is no longer paused either.")

    @OptionGroup var chosen: SelectionOptions
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await report(global, QueueCommand.resume, chosen.selection, .resumed, json: json)
    }
}

struct RetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try failed, held and waiting uploads again now.",
        discussion: "What waits for a time or for others starts at once too, unless --all chose it.")

    @OptionGroup var chosen: SelectionOptions
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await report(global, QueueCommand.retry, chosen.selection, .retried, json: json)
    }
}

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take uploads out of the queue and delete their unfinished parts at the server.",
        discussion: "The files on this machine are never touched.")

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
        usage: "ferry move <id> … (up|down|top|bottom)")

    @Flag(help: "One JSON object.") var json = false

    @Argument(
        help: "The numbers of uploads or ranges as 3-7 and 1,5-9, then up, down, top or bottom.",
        completion: ShellCompletion.uploads)
    var words: [String]
    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try parsed() }

    func run() async throws {
        let (numbers, move) = try parsed()
        try await report(global, { .move($0, move) }, numbers.selection, .moved, json: json)
    }

    private func parsed() throws -> (UploadNumbers, QueueMove) {
        guard let last = words.last, let move = QueueMove(rawValue: last), words.count > 1 else {
            throw ValidationError("Give numbers, then one of up, down, top or bottom.")
        }
        return (try UploadNumbers(arguments: words.dropLast()), move)
    }
}

/// Gives an order and says how many uploads it changed, and why it did not change others that were named.
///
/// - Parameter remark: For people, behind the number.
private func report(
    _ global: GlobalOptions, _ order: (UploadSelection) -> QueueCommand, _ selection: UploadSelection,
    _ change: ChangedLine.Change, json: Bool, remark: String = ""
) async throws(CommandFailure) {
    let access = try global.access()
    guard case .changed(let ids) = try await access.perform(order(selection)) else { return }
    print(
        json ? JSONLine.text(ChangedLine(change, ids.sorted())) : "\(ids.count) \(change.participle)\(remark)"
    )
    guard !json, let named = change.order, selection.mayHaveUnchanged(ids),
        // The order has been carried out, whether this can still be asked or not.
        case .uploads(let uploads)? = try? await access.perform(.list)
    else { return }
    let unchanged = selection.unchanged(among: uploads, but: ids)
    for sentence in UnchangedNotes(named, unchanged, spelled: { "`ferry \($0)`" }).sentences {
        StandardError.write(Notice(kind: .note, text: sentence).line + "\n")
    }
}

extension ChangedLine.Change {
    /// The order that changes nothing in some states; nil for one that always does what it says.
    fileprivate var order: UnchangedNotes.Order? {
        switch self {
        case .paused: .pause
        case .resumed: .resume
        case .retried: .retry
        case .moved: .move
        case .removed, .putBack, .limited: nil
        }
    }
}
