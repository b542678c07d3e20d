import ArgumentParser
import FerryFiles
import FerryProtocols
import FerryTUI
import FerryUploads

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo the last change: add, pause, resume, remove, move or limit.",
        discussion: """
            Undoing an addition stops running uploads and keeps done ones. Up to 50 changes since the engine started \
            can be undone, one after the other, from any screen or command.

              ferry undo --dry-run
              ferry undo
            """)

    @Flag(help: "Only show what would be undone.") var dryRun = false
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard dryRun else { return try await report(global, .undo, "undone", json: json) }
        guard case .undoable(let offer) = try await global.access().perform(.nextUndo) else { return }
        if json { return print(JSONLine.text(ChangedLine(offer))) }
        print("would undo: \(offer.sentence(of: uploadsText(offer.ids), in: .local))")
    }
}

struct RedoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Redo the last undone change, if no other change came since.",
        discussion: """
            Several changes that were undone are redone one after the other, the last one first.

              ferry undo && ferry redo
            """)

    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await report(global, .redo, "redone", json: json) }
}

/// Performs `undo` or `redo`, and prints what it changed.
private func report(
    _ global: GlobalOptions, _ command: QueueCommand, _ participle: String, json: Bool
) async throws(CommandFailure) {
    guard case .reversed(let change, let ids) = try await global.access().perform(command) else { return }
    if json { return print(JSONLine.text(ChangedLine(change, ids))) }
    print("\(participle): \(change.sentence(of: uploadsText(ids), in: .local))")
}

private func uploadsText(_ ids: [Upload.ID]) -> String {
    ids.count == 1 ? "upload \(ids[0])" : "\(ids.count) uploads"
}
