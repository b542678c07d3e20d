import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo the last change: add, pause, resume, remove, move or limit.",
        discussion: """
            On a terminal, it names the change and asks. Undoing an addition stops running uploads and keeps done \
            ones. A retry cannot be undone: the first undo after it says so, and the next one undoes the change \
            before. Up to 50 changes since the engine started can be undone, one after the other, from any screen or \
            command.

              ferry undo --dry-run
              ferry undo
            """)

    @Flag(help: "Only show what would be undone.") var dryRun = false
    @Flag(name: [.short, .long], help: "Do not ask on a terminal.") var yes = false
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard dryRun else {
            return try await goBack(.undo, by: global.access(), asks: !yes && !json, json: json)
        }
        guard case .undoable(let offer) = try await global.access().perform(.nextUndo) else { return }
        if let refusal = offer.refusal { throw CommandFailure(refused: refusal) }
        if json { return print(ChangedLine(offer).json) }
        print("would undo: \(offer.sentence(of: uploadsText(offer.ids), in: .local))")
    }
}

struct RedoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo", abstract: "Redo the last undone change, if no other change came since.",
        discussion: """
            On a terminal, it names the change and asks. Several changes that were undone are redone one after the \
            other, the last one first.

              ferry undo && ferry redo
            """)

    @Flag(name: [.short, .long], help: "Do not ask on a terminal.") var yes = false
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await goBack(.redo, by: global.access(), asks: !yes && !json, json: json) }
}

/// Undoes or redoes a change of the queue, and prints which change it was. If `asks` is true and there is a terminal,
/// asks the user first, and throws `ExitCode(1)` if the user does not agree.
private func goBack(
    _ direction: UndoStack.Direction, by access: QueueAccess, asks: Bool, json: Bool
) async throws {
    var command = direction.command
    if asks, Confirmation.isPossible {
        guard case .undoable(let offer) = try await access.perform(direction.next) else { return }
        // A refusal needs no question: the queue changes nothing, and its reply says why.
        guard offer.refusal != nil || direction.question(about: offer).userAgrees else { throw ExitCode(1) }
        command = direction.command(offer.number)
    }
    guard case .reversed(let change, let ids) = try await access.perform(command) else { return }
    if json { return print(ChangedLine(change, ids).json) }
    print("\(direction.participle): \(change.sentence(of: uploadsText(ids), in: .local))")
}

private func uploadsText(_ ids: [Upload.ID]) -> String {
    ids.count == 1 ? "upload \(ids[0])" : "\(ids.count) uploads"
}

extension UndoStack.Direction {
    fileprivate var command: QueueCommand { self == .undo ? .undo : .redo }

    /// The command that reports what `undo` or `redo` would do, and changes nothing.
    fileprivate var next: QueueCommand { self == .undo ? .nextUndo : .nextRedo }

    /// Returns the command that undoes or redoes the change with this number, which the user has confirmed. The queue
    /// refuses the command if the next change is now another one.
    fileprivate func command(_ number: Int) -> QueueCommand {
        self == .undo ? .undoCommand(number) : .redoCommand(number)
    }

    fileprivate var participle: String { self == .undo ? "undone" : "redone" }

    fileprivate func question(about offer: UndoOffer) -> Confirmation {
        let what = uploadsText(offer.ids)
        let text =
            self == .undo
            ? "Undo: \(offer.sentence(of: what, in: .local))?"
            : "Redo: \(offer.change.plan(of: what, in: .local))?"
        return Confirmation(question: SafeLine.text(text), refusal: "nothing was \(participle)")
    }
}
