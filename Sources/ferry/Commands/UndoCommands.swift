import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads
import Foundation

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take back the last change: add, pause, resume, remove, move or limit.",
        discussion: """
            Of uploads that were added, those that are done stay, and running ones are stopped. Only what was ordered since the ferry that runs was started can be taken back, by whomever it was ordered; \
            up to 50 orders, one after the other.
            """)

    @Flag(help: "Only tell what would be undone.") var dryRun = false
    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard dryRun else { return try await report(global, .undo, "undone", json: json) }
        guard case .undoable(let offer) = try await global.access().perform(.nextUndo) else { return }
        if json { return print(JSONLine.text(ChangedLine(offer))) }
        print("would undo: \(offer.told(of: uploadsText(offer.ids), in: .current))")
    }
}

struct RedoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Do again what undo took back last, unless something else was ordered since.")

    @Flag(help: "One JSON object.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await report(global, .redo, "done again", json: json) }
}

/// Performs a command and says what it did, and to which upload if it was one.
private func report(
    _ global: GlobalOptions, _ command: QueueCommand, _ participle: String, json: Bool
) async throws(CommandFailure) {
    guard case .reversed(let change, let ids) = try await global.access().perform(command) else { return }
    if json { return print(JSONLine.text(ChangedLine(change, ids))) }
    print("\(participle): \(change.told(of: uploadsText(ids), count: ids.count, in: .current))")
}

private func uploadsText(_ ids: [Upload.ID]) -> String {
    ids.count == 1 ? "upload \(ids[0])" : "\(ids.count) uploads"
}
